// Hands in the code of the address, once, and forgets it. It stands behind a `#`, which no browser
// sends to any server by itself.
"use strict";

const code = new URLSearchParams(location.hash.slice(1)).get("code");
const word = document.getElementById("word");

async function enter() {
  history.replaceState(null, "", location.pathname + location.search);
  word.textContent = "Opening …";
  const answer = await fetch("/enter", { method: "POST", body: new URLSearchParams({ code }) });
  if (answer.ok) {
    location.reload();
  } else {
    word.textContent =
      "This address was used before, or is from an earlier start. Press Enter where " +
      "“holdfast serve” runs to get another one.";
  }
}

if (code) enter();
