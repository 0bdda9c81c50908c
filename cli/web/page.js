"use strict";
// Everything that comes from the server is shown through textContent: text, never markup.

const at = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");
const headers = token ? { Authorization: `Bearer ${token}` } : {};
const MOST_MESSAGES = 12;
let language = navigator.language.startsWith("zh") ? "zh" : "en";
let messages = [];
let running = null;
let steps = [];
let state = "hint";
let last = null;

const say = () => words[language];
const term = (word) => say().terms[word] || word;

function speak() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  at("language").textContent = say().other;
  at("language").lang = language === "en" ? "zh" : "en";
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = say()[element.dataset.text];
  }
  at("send").textContent = running ? say().stop : say().ask;
  if (say()[state]) at("status").textContent = say()[state];
  at("path").replaceChildren();
  steps.forEach(showStep);
  if (last) showAccount(last);
}

function make(tag, text, parent, name = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  parent.append(element);
  return element;
}

function status(now, message = "") {
  state = now;
  at("status").textContent = message || say()[now];
  at("status").classList.toggle("failed", now === "failed" || now === "lost");
}

function clear() {
  for (const id of ["text", "citations", "path", "cost", "warnings", "asked"]) at(id).replaceChildren();
  at("outcome").hidden = at("sources").hidden = true;
  at("result").hidden = at("again").hidden = false;
  steps = [];
  last = null;
}

function showStep(event) {
  const item = make("li", "", at("path"));
  const what = make("p", "", item, "what");
  if (event.reason) make("span", term(event.reason), what, "reason");
  make("b", say().names[event.node] || event.node, what);
  make("span", say().took(event), what, "took");
  const told = Object.keys(say().steps).filter((name) => name in event.facts);
  const line = told.map((name) => say().steps[name](event.facts)).filter(Boolean).join(" · ");
  if (line) make("p", line, item, "what");
  if (event.verdicts.length) showVerdicts(event.verdicts, item);
}

function showVerdicts(verdicts, item) {
  const fold = make("details", "", item);
  make("summary", say().verdictsOf(verdicts.length), fold);
  const list = make("ul", "", fold);
  for (const verdict of verdicts) {
    const row = make("li", "", list);
    make("span", term(verdict.label), row, `verdict ${verdict.label}`);
    row.append(verdict.why ? `${verdict.text} (${verdict.why})` : verdict.text);
  }
}

function addText(event) {
  const parts = at("text");
  const open = parts.lastElementChild;
  if (event.event === "token" && open && open.className === "token") open.append(event.text);
  else make("span", event.text, parts, event.event);
}

async function openPassage(citation) {
  const asked = new URLSearchParams({
    document_id: citation.document_id, start: citation.start, end: citation.end,
  });
  const reply = await fetch(`passage?${asked}`, { headers }).catch(() => null);
  const found = reply && reply.ok ? await reply.json() : { before: "", quote: citation.quote, after: "" };
  at("passage-title").textContent = found.title || citation.title || citation.document_id;
  at("passage-section").textContent = citation.section || citation.document_id;
  const text = at("passage-text");
  text.replaceChildren(found.before);
  const quote = make("mark", found.quote, text);
  text.append(found.after);
  at("passage").showModal();
  quote.scrollIntoView({ block: "center" });
  text.focus({ preventScroll: true });
}

function opening(label, citation, parent) {
  const button = make("button", label, parent);
  button.type = "button";
  button.addEventListener("click", () => openPassage(citation));
  return button;
}

function linkMarkers(shown, citations) {
  const waiting = [...citations]; // a source that is cited twice has two quotes, in this order
  const next = (number) => {
    const of = waiting.filter((one) => one.marker === number);
    if (of.length > 1) waiting.splice(waiting.indexOf(of[0]), 1);
    return of[0];
  };
  at("text").replaceChildren();
  for (const part of shown) {
    const span = make("span", "", at("text"), part.kind);
    for (const piece of part.pieces) {
      if (typeof piece === "string") span.append(piece);
      else if (piece.numbers.length === 1) opening(piece.marker, next(piece.numbers[0]), span);
      else for (const number of piece.numbers) opening(`[${number}]`, next(number), span);
    }
  }
}

function showCitations(citations) {
  at("citations").replaceChildren();
  at("sources").hidden = !citations.length;
  for (const citation of citations) {
    const item = make("li", "", at("citations"));
    item.value = citation.marker;
    const button = opening("", citation, item);
    make("b", `${citation.section || citation.title || citation.document_id}: `, button);
    make("q", citation.quote, button);
  }
}

function showAccount(answer) {
  at("outcome").hidden = false;
  at("outcome").textContent = say().outcomes[answer.outcome] || answer.outcome;
  at("outcome").className = answer.outcome;
  at("warnings").textContent = answer.warnings.join(" ");
  at("cost").textContent = say().cost(answer.spent, answer.rounds);
  const asked = messages.findLast((one) => one.role === "user");
  if (asked && asked.content !== answer.question) at("asked").textContent = say().readAs(answer.question);
  for (const button of at("text").querySelectorAll("button")) {
    button.setAttribute("aria-label", say().open(button.textContent));
  }
}

function showAnswer(event) {
  last = event.answer;
  linkMarkers(event.shown, last.citations);
  showCitations(last.citations);
  showAccount(last);
}

async function* eventsOf(reply) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += value;
    const parts = held.split("\n\n");
    held = parts.pop();
    for (const part of parts) yield JSON.parse(part.slice("data: ".length));
  }
}

async function run() {
  const reply = await fetch("ask", {
    method: "POST", signal: running.signal,
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ messages }),
  });
  if (!reply.ok) throw new Error((await reply.json()).error.message);
  for await (const event of eventsOf(reply)) {
    if (event.event === "step") { steps.push(event); showStep(event); }
    else if (event.event === "answer") showAnswer(event);
    else if (event.event === "error") throw new Error(event.message);
    else if (event.text) addText(event);
  }
}

async function ask(question) {
  running = new AbortController();
  at("send").textContent = say().stop;
  at("send").classList.add("stop");
  messages = [...messages, { role: "user", content: question }].slice(-MOST_MESSAGES);
  clear();
  status("working");
  try {
    await run();
    status(last ? "done" : "lost");
  } catch (error) {
    if (error.name === "AbortError") status("stopped");
    else if (error instanceof TypeError) status("lost"); // the browser's word for a broken connection
    else status("failed", error.message);
  } finally {
    if (last) messages.push({ role: "assistant", content: last.text });
    else messages.pop();
    running = null;
    at("send").textContent = say().ask;
    at("send").classList.remove("stop");
  }
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = at("question").value.trim();
  if (running) running.abort();
  else if (question) ask(question);
  else { status("empty"); at("question").focus(); }
});
at("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    if (!running) at("form").requestSubmit();
  }
});
at("again").addEventListener("click", () => {
  if (running) running.abort();
  messages = [];
  clear();
  at("result").hidden = at("again").hidden = true;
  at("question").value = "";
  at("question").focus();
  status("hint");
});
at("language").addEventListener("click", () => {
  language = language === "en" ? "zh" : "en";
  speak();
});
at("close").addEventListener("click", () => at("passage").close());
speak();
at("question").focus();
