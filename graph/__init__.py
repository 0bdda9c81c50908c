"""The shape of the loop: what is remembered, decided and connected."""
