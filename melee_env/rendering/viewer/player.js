"use strict";
// The controls: opens files, plays, steps, scrubs, and shows what the frame says about each fighter.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const byId = (id) => document.getElementById(id);

async function unpack(id) {
  const text = byId(id).textContent.trim();
  if (!text) return null;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

class Viewer {
  constructor(tables) {
    this.tables = tables;
    this.scene = new Scene(byId("picture"), tables);
    this.index = 0;
    this.playing = false;
    this.speed = 1;
    this._connect();
  }

  /** Show a replay given as bytes; an error is shown in the page and leaves the game that was open. */
  open(buffer, name) {
    let game;
    try {
      game = new Game(buffer, this.tables);
    } catch (error) {
      if (!(error instanceof ReplayError)) throw error;
      this._say(`${name}: ${error.message}`);
      return false;
    }
    this.game = game;
    this.pause();
    this.scene.open(game);
    document.body.classList.add("open");
    const players = game.players.map((one) => one.character).join(" – ");
    byId("title").textContent = `${players} · ${this.scene.stage.name}`;
    byId("about").textContent = `${name} · Slippi ${game.version} · ${game.length} frames`;
    this._say(game.fault);
    byId("scrub").max = game.length - 1;
    this._markDeaths();
    this._makeCards();
    const wanted = /^#frame=(-?\d+)$/.exec(location.hash);
    const start = wanted ? game.numbers.findIndex((number) => number >= Number(wanted[1])) : 0;
    this.seek(Math.max(start, 0));
    return true;
  }

  async openFile(file) {
    this.open(await file.arrayBuffer(), file.name);
  }

  /** Go to the frame of this index, as far as there is one. */
  seek(index) {
    if (!this.game) return;
    this.index = between(Math.round(index), 0, this.game.length - 1);
    const frame = this.scene.draw(this.index);
    byId("scrub").value = this.index;
    byId("number").textContent = `frame ${frame.number}`;
    this._fillCards(frame);
  }

  play() {
    if (!this.game) return;
    if (this.index >= this.game.length - 1) this.seek(0);
    this.playing = true;
    byId("play").textContent = "❚❚";
    let due = this.index;
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      due += (now - last) * 60 / 1000 * this.speed;
      last = now;
      if (Math.floor(due) !== this.index) this.seek(Math.floor(due));
      if (this.index >= this.game.length - 1) this.pause();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    byId("play").textContent = "▶";
  }

  toggle() { this.playing ? this.pause() : this.play(); }

  step(frames) {
    this.pause();
    this.seek(this.index + frames);
  }

  /** Go to the next (+1) or the last (-1) lost stock. */
  toDeath(direction) {
    if (!this.game) return;
    const places = this.game.deaths.map((one) => one.index).sort((a, b) => (a - b) * direction);
    const next = places.find((place) => (place - this.index) * direction > 0);
    if (next !== undefined) this.step(next - this.index);
  }

  _say(text) {
    byId("message").textContent = text;
    byId("message").hidden = !text;
  }

  _connect() {
    const controls = {
      play: () => this.toggle(), back: () => this.step(-1), forward: () => this.step(1),
      first: () => this.step(-Infinity), last: () => this.step(Infinity),
      "last-death": () => this.toDeath(-1), "next-death": () => this.toDeath(1),
    };
    for (const [id, act] of Object.entries(controls)) byId(id).addEventListener("click", act);
    byId("scrub").addEventListener("input", (event) => { this.pause(); this.seek(Number(event.target.value)); });
    for (const speed of SPEEDS) byId("speed").append(new Option(`${speed}×`, speed, false, speed === 1));
    byId("speed").addEventListener("change", (event) => { this.speed = Number(event.target.value); });
    for (const name of Object.keys(this.scene.show)) {
      byId(name).checked = this.scene.show[name];
      byId(name).addEventListener("change", (event) => { this.scene.show[name] = event.target.checked; this.seek(this.index); });
    }
    byId("file").addEventListener("change", (event) => { if (event.target.files[0]) this.openFile(event.target.files[0]); });
    document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
    document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("over"); });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("over");
      if (event.dataTransfer.files[0]) this.openFile(event.dataTransfer.files[0]);
    });
    document.addEventListener("keydown", (event) => this._key(event));
  }

  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const far = event.shiftKey ? 10 : 1;
    const act = {
      " ": () => this.toggle(), ArrowLeft: () => this.step(-far), ArrowRight: () => this.step(far),
      Home: () => this.step(-Infinity), End: () => this.step(Infinity),
      "[": () => this.toDeath(-1), "]": () => this.toDeath(1), h: () => byId("hitboxes").click(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  _markDeaths() {
    byId("marks").replaceChildren(...this.game.deaths.map(({index, port}) => {
      const mark = document.createElement("i");
      mark.style.left = `${100 * index / Math.max(this.game.length - 1, 1)}%`;
      mark.style.background = rgb(this.scene.colour(port));
      return mark;
    }));
  }

  _makeCards() {
    this.cards = new Map();
    byId("cards").replaceChildren(...this.game.players.map((player) => {
      const card = byId("card").content.cloneNode(true).firstElementChild;
      card.style.borderColor = rgb(this.scene.colour(player.port));
      const who = player.name || (player.cpuLevel ? `CPU ${player.cpuLevel}` : "");
      card.querySelector("h2").textContent = [`P${player.port + 1}`, player.character, who, player.code].filter(Boolean).join(" · ");
      this.cards.set(player.port, card);
      return card;
    }));
  }

  _fillCards(frame) {
    for (const [port, card] of this.cards) {
      const own = frame.fighters.filter((one) => one.port === port);
      const leader = own.find((one) => !one.follower);
      card.classList.toggle("gone", !leader);
      if (!leader) continue;
      card.querySelector(".percent").textContent = `${Math.floor(leader.percent)}%`;
      card.querySelector(".stocks").textContent = "●".repeat(between(leader.stocks, 0, 9));
      card.querySelector(".state").textContent = own.map((one) => this.describe(one)).join("  /  ");
      card.querySelector("dl").replaceChildren(...Object.entries(facts(leader)).flatMap(([name, value]) => {
        const [term, what] = [document.createElement("dt"), document.createElement("dd")];
        term.textContent = name;
        what.textContent = value;
        return [term, what];
      }));
      drawController(card.querySelector("canvas"), leader, this.tables.buttons);
    }
  }

  /** Name and age of a fighter's action state. */
  describe({character, action, action_frame: age}) {
    const name = this.tables.states[action] ?? this.tables.specialStates[character]?.[action] ?? `State ${action}`;
    return age === undefined ? name : `${name} ${age.toFixed(Number.isInteger(age) ? 0 : 1)}`;
  }
}

/** What a card lists of a fighter; what the recording's version did not hold is left out. */
function facts(fighter) {
  const number = (value, digits = 2) => (value === undefined ? undefined : value.toFixed(digits));
  const pair = (x, y) => (x === undefined ? undefined : `${number(x)}, ${number(y)}`);
  const rows = {
    "position": pair(fighter.x, fighter.y),
    "facing": fighter.facing < 0 ? "left" : "right",
    "own speed": pair(fighter.vel_air_x, fighter.vel_y),
    "knockback": pair(fighter.knockback_x, fighter.knockback_y),
    "shield": number(fighter.shield, 1),
    "hitlag": number(fighter.hitlag, 0),
    "hitstun": number(fighter.hitstun, 0),
    "jumps": fighter.jumps,
    "in the air": fighter.airborne === undefined ? undefined : fighter.airborne ? "yes" : "no",
    "hurtboxes": ["vulnerable", "invincible", "intangible"][fighter.hurtbox],
  };
  return Object.fromEntries(Object.entries(rows).filter(([, value]) => value !== undefined));
}

addEventListener("DOMContentLoaded", async () => {
  const tables = JSON.parse(new TextDecoder().decode(await unpack("tables")));
  window.viewer = new Viewer(tables);
  const replay = await unpack("replay");
  if (replay) window.viewer.open(replay, JSON.parse(byId("name").textContent));
  document.body.dataset.ready = "yes";
});
