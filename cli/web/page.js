"use strict";
// Everything that comes from the server is shown through textContent: text, never markup.

const words = {
  en: {
    question: "Question", ask: "Ask", answer: "Answer", citations: "Citations", close: "Close",
    path: "The path through the graph", working: "Working…", stop: "Stop", done: "Done.",
    stopped: "Stopped.", lost: "The connection was lost before the answer was whole.",
    none: "None.", cost: (s, rounds) => `${s.calls} model calls, ${s.input_tokens + s.output_tokens} tokens, ${rounds} rounds, ${s.seconds.toFixed(2)} s`,
    outcomes: { answered: "answered", partial: "partial", direct: "direct", refused: "refused" },
  },
  zh: {
    question: "问题", ask: "提问", answer: "回答", citations: "引用", close: "关闭",
    path: "经过的路径", working: "正在处理…", stop: "停止", done: "完成。",
    stopped: "已停止。", lost: "回答未完成时连接中断。",
    none: "无。", cost: (s, rounds) => `模型调用 ${s.calls} 次，${s.input_tokens + s.output_tokens} 个词元，${rounds} 轮，${s.seconds.toFixed(2)} 秒`,
    outcomes: { answered: "已回答", partial: "部分回答", direct: "直接回复", refused: "未能回答" },
  },
};
const at = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");
const headers = token ? { Authorization: `Bearer ${token}` } : {};
const thread = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
let language = navigator.language.startsWith("zh") ? "zh" : "en";
let running = null;
let opener = null;

function speak() {
  document.documentElement.lang = language;
  at("language").textContent = language === "en" ? "中文" : "English";
  at("language").lang = language === "en" ? "zh" : "en";
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = words[language][element.dataset.text];
  }
  if (running) at("send").textContent = words[language].stop;
}

function make(tag, text, parent) {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  return element;
}

function clear() {
  for (const id of ["text", "citations", "path", "cost", "outcome", "warnings"]) at(id).replaceChildren();
  at("answer").hidden = false;
  at("path-part").hidden = false;
}

function addStep(event) {
  const item = make("li", "", at("path"));
  make("b", event.node, item);
  item.append(` ${event.line.slice(event.node.length)}`);
}

function addText(event) {
  if (event.event === "token") at("text").append(event.text);
  else make("span", event.text, at("text")).className = event.event;
}

async function openPassage(citation, from) {
  const asked = new URLSearchParams({
    document_id: citation.document_id, start: citation.start, end: citation.end,
  });
  const reply = await fetch(`passage?${asked}`, { headers });
  const passage = reply.ok ? await reply.json() : { before: "", quote: citation.quote, after: "" };
  at("passage-title").textContent = passage.title || citation.title || citation.document_id;
  at("passage-source").textContent = passage.source || citation.source;
  const text = at("passage-text");
  text.replaceChildren(passage.before);
  const quote = make("mark", passage.quote, text);
  text.append(passage.after);
  opener = from;
  at("passage").hidden = false;
  at("passage").focus();
  quote.scrollIntoView({ block: "center" });
}

function closePassage() {
  at("passage").hidden = true;
  if (opener) opener.focus();
}

function showAnswer(answer) {
  const say = words[language];
  at("outcome").textContent = say.outcomes[answer.outcome] || answer.outcome;
  if (!answer.citations.length) make("li", say.none, at("citations")).style.listStyle = "none";
  for (const citation of answer.citations) {
    const item = make("li", "", at("citations"));
    item.value = citation.marker;
    const link = make("button", `${citation.source || citation.title}: ${citation.quote}`, item);
    link.type = "button";
    link.addEventListener("click", () => openPassage(citation, link));
  }
  at("warnings").textContent = answer.warnings.join(" ");
  at("cost").textContent = say.cost(answer.spent, answer.rounds);
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

async function ask(question) {
  const say = words[language];
  running = new AbortController();
  at("send").textContent = say.stop;
  at("status").textContent = say.working;
  clear();
  let whole = false;
  try {
    const reply = await fetch("ask", {
      method: "POST", signal: running.signal,
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ question, thread }),
    });
    if (!reply.ok) throw new Error((await reply.json()).error.message);
    for await (const event of eventsOf(reply)) {
      if (event.event === "step") addStep(event);
      else if (event.event === "answer") { showAnswer(event.answer); whole = true; }
      else if (event.event === "error") throw new Error(event.message);
      else if (event.text) addText(event);
    }
    at("status").textContent = whole ? say.done : say.lost;
  } catch (error) {
    at("status").textContent = error.name === "AbortError" ? say.stopped : error.message;
  } finally {
    running = null;
    at("send").textContent = words[language].ask;
    at("question").focus();
  }
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else ask(at("question").value.trim());
});
at("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    at("form").requestSubmit();
  }
});
at("language").addEventListener("click", () => {
  language = language === "en" ? "zh" : "en";
  speak();
});
at("close").addEventListener("click", closePassage);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !at("passage").hidden) closePassage();
});
speak();
at("question").focus();
