"use strict";
// Reads a Slippi replay. The layouts of the events come from the tables of the page; a game keeps where each
// frame's events are and decodes a frame when it is asked for.

class ReplayError extends Error {}

const HEADER = "{U\x03raw[$U#l";
const PAYLOADS = 0x35;
const FIRST_FRAME = -123;
const LAST_FRAME = 2 ** 20;

/** Decode one value at byte `at`; `type` is a name such as "f4" or one of the nested forms of the tables. */
function decode(view, at, type) {
  if (Array.isArray(type)) {
    if (type[0] === "record") {
      return Object.fromEntries(type[1].map(([name, offset, inner]) => [name, decode(view, at + offset, inner)]));
    }
    const [, count, size, inner] = type;
    return Array.from({length: count}, (_, i) => decode(view, at + i * size, inner));
  }
  switch (type) {
    case "u1": return view.getUint8(at);
    case "i1": return view.getInt8(at);
    case "u2": return view.getUint16(at);
    case "u4": return view.getUint32(at);
    case "i4": return view.getInt32(at);
    case "f4": return view.getFloat32(at);
  }
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, Number(type.slice(1)));
  const end = bytes.indexOf(0);
  return new TextDecoder("shift_jis").decode(end < 0 ? bytes : bytes.subarray(0, end)).normalize("NFKC");
}

function sizeOf(type) {
  if (!Array.isArray(type)) return Number(type.slice(1));
  if (type[0] === "array") return type[1] * type[2];
  return Math.max(...type[1].map(([, offset, inner]) => offset + sizeOf(inner)));
}

/** The fields of one kind of event that a payload of `size` bytes can hold. */
function layout(event, size) {
  return event.fields.filter(([, offset, type]) => offset + sizeOf(type) <= size + 1);
}

class Game {
  /**
   * @param {ArrayBuffer} buffer the file
   * @param {object} tables the tables of the page
   * @throws {ReplayError} when it is no replay or holds no frame
   */
  constructor(buffer, tables) {
    this.view = new DataView(buffer);
    this.tables = tables;
    this.fault = "";
    this.endMethod = 0;
    this.start = null;
    let at = this._readPayloadTable(this._findEvents());
    this._chooseLayouts();
    at = this._walk(at);
    if (!this.start) throw new ReplayError("there is no game start in the file");
    if (!this.numbers.length) throw new ReplayError("the file ends before its first whole frame");
    this._readStart();
    this._indexDeaths();
  }

  get length() { return this.numbers.length; }

  /** Decode frame `index` (0 is the first): number, fighters, items, moving platforms. */
  frame(index) {
    const copy = this.copies[index];
    const fighters = [];
    for (const key of [...copy.post.keys()].sort((a, b) => a - b)) {
      const fighter = this._read("post", copy.post.get(key));
      const pre = copy.pre.get(key);
      if (pre !== undefined) {
        const {frame, port, follower, ...input} = this._read("pre", pre);
        Object.assign(fighter, input);
      }
      if (!((fighter.flags?.[3] ?? 0) & this.tables.flagHitstun)) fighter.hitstun = 0;
      fighters.push(fighter);
    }
    const items = copy.items.map((offset) => this._read("item", offset));
    return {number: copy.number, fighters, items, fod: copy.fod, whispy: copy.whispy};
  }

  _findEvents() {
    const head = String.fromCharCode(...new Uint8Array(this.view.buffer, 0, Math.min(15, this.view.byteLength)));
    if (head.startsWith(HEADER) && head.length === 15) return 15;
    if (head.charCodeAt(0) === PAYLOADS) return 0;
    throw new ReplayError("the file does not start like a Slippi replay");
  }

  _readPayloadTable(at) {
    const {view} = this;
    if (at + 2 > view.byteLength || view.getUint8(at) !== PAYLOADS) throw new ReplayError("the payload table is missing");
    const size = view.getUint8(at + 1);
    if (size < 1 || (size - 1) % 3 || at + 1 + size > view.byteLength) throw new ReplayError("the payload table is broken");
    this.sizes = new Map();
    for (let p = at + 2; p < at + 1 + size; p += 3) this.sizes.set(view.getUint8(p), view.getUint16(p + 1));
    if ([...this.sizes.values()].includes(0)) throw new ReplayError("the payload table is broken");
    return at + 1 + size;
  }

  _chooseLayouts() {
    const {events} = this.tables;
    const sizeOfKind = (kind) => this.sizes.get(events[kind].command) ?? 0;
    const kinds = {...events};
    if (sizeOfKind("post") === events.combined.size) kinds.post = events.combined;
    if (sizeOfKind("item") === events.shortItem.size) kinds.item = events.shortItem;
    this.layouts = Object.fromEntries(Object.entries(kinds).map(([k, e]) => [k, layout(e, sizeOfKind(k))]));
    this.commands = Object.fromEntries(Object.entries(events).map(([kind, event]) => [kind, event.command]));
    this.hasPre = sizeOfKind("pre") > 0;
    this.hasBookend = sizeOfKind("bookend") > 0;
  }

  _read(kind, at) {
    const values = {};
    for (const [name, offset, type] of this.layouts[kind]) values[name] = decode(this.view, at + offset, type);
    return values;
  }

  /** Go from event to event; a frame that was sent again replaces the earlier copy once it is whole. */
  _walk(at) {
    const {view, commands} = this;
    const chosen = new Map();
    let copy = null;
    let moving = {fod: this.tables.fodFirst, whispy: 0};
    const begin = (number) => {
      keep(false);
      copy = {number, pre: new Map(), post: new Map(), items: [], closed: false, ...moving};
    };
    const keep = (last) => {
      if (!copy || !copy.post.size || copy.number < FIRST_FRAME || copy.number > LAST_FRAME) return;
      const pairs = !this.hasPre || (copy.pre.size === copy.post.size && [...copy.post.keys()].every((k) => copy.pre.has(k)));
      copy.whole = pairs && (copy.closed || !this.hasBookend);
      if (last && !copy.whole && !this.ended) return;
      if (copy.whole || !chosen.get(copy.number)?.whole) chosen.set(copy.number, copy);
    };
    let framed = false;
    while (at < view.byteLength) {
      const command = view.getUint8(at);
      const size = this.sizes.get(command);
      if (size === undefined) {
        if (command !== "U".charCodeAt(0) && command !== "}".charCodeAt(0)) this.fault = `nothing is readable from byte ${at} on`;
        break;
      }
      if (at + 1 + size > view.byteLength) {
        this.fault = `the file stops inside the event at byte ${at}`;
        break;
      }
      if (command === commands.start) {
        this.start ??= this._read("start", at);
      } else if (command === commands.frameStart) {
        framed = true;
        begin(view.getInt32(at + 1));
      } else if (command === commands.pre || command === commands.post) {
        const kind = command === commands.pre ? "pre" : "post";
        const number = view.getInt32(at + 1);
        if (!framed && copy?.number !== number) begin(number);
        const key = this._key(kind, at);
        if (copy?.number === number) copy[kind].set(key, at);
      } else if (command === commands.item && copy) {
        copy.items.push(at);
      } else if (command === commands.bookend && copy) {
        copy.closed = true;
      } else if (command === commands.fod) {
        const {platform, height} = this._read("fod", at);
        moving = {...moving, fod: platform === 1 ? [height, moving.fod[1]] : [moving.fod[0], height]};
        if (copy) copy.fod = moving.fod;
      } else if (command === commands.whispy) {
        moving = {...moving, whispy: this._read("whispy", at).direction};
        if (copy) copy.whispy = moving.whispy;
      } else if (command === commands.end) {
        this.endMethod = this._read("end", at).method;
        this.ended = true;
      }
      at += 1 + size;
    }
    if (!this.ended && !this.fault) this.fault = "the recorder did not close the game";
    keep(true);
    this.copies = [...chosen.values()].sort((a, b) => a.number - b.number);
    this.numbers = this.copies.map((one) => one.number);
    return at;
  }

  _key(kind, at) {
    const find = (wanted) => this.layouts[kind].find(([name]) => name === wanted)?.[1];
    return this.view.getUint8(at + find("port")) * 2 + (this.view.getUint8(at + find("follower")) ? 1 : 0);
  }

  _readStart() {
    const {start, tables} = this;
    this.version = start.version.slice(0, 3).join(".");
    this.stage = start.stage;
    this.players = [];
    start.players.forEach((player, port) => {
      if (player.kind >= tables.noPlayer) return;
      const internal = tables.external[player.character];
      this.players.push({
        port,
        character: tables.characters[internal]?.name ?? `Fighter ${player.character}`,
        stocks: player.stocks,
        cpuLevel: player.kind === 1 ? player.cpu_level : 0,
        name: start.names?.[port] || start.tags?.[port] || "",
        code: start.codes?.[port] ?? "",
      });
    });
  }

  /** Find the frames on which someone loses a stock. */
  _indexDeaths() {
    this.deaths = [];
    const left = new Map();
    this.copies.forEach((copy, index) => {
      for (const [key, at] of copy.post) {
        if (key % 2) continue;
        const {stocks} = this._read("post", at);
        if (stocks < (left.get(key) ?? 0)) this.deaths.push({index, port: key >> 1});
        left.set(key, stocks);
      }
    });
  }
}
