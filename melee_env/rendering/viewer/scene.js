"use strict";
// Draws one frame of a game on a canvas, with what the tables of the page say about stages, fighters and hitboxes.

const LAST_DEAD_STATE = 11;
const FULL_SHIELD = 60;
const FOUNTAIN = 2;
const YOSHI = 8;
const FOUNTAIN_SIDE = [21.0, 49.5];
const RANDALL_HALF = 6.0;
const PARTS = {torso: [0, 2], head: [2, 2], far_arm: [7, 3], near_arm: [4, 3], near_leg: [10, 3], far_leg: [13, 3]};

const rgb = (colour, alpha = 1) => `rgba(${colour[0]},${colour[1]},${colour[2]},${alpha})`;
const mix = (a, b, share) => a.map((value, i) => Math.round(value + (b[i] - value) * share));
const between = (value, low, high) => Math.min(Math.max(value, low), high);

class Scene {
  constructor(canvas, tables) {
    this.canvas = canvas;
    this.tables = tables;
    this.show = {hitboxes: true, puppets: true, trails: false};
  }

  /** Choose the game; its camera path is computed once, so that a frame always looks the same. */
  open(game) {
    this.game = game;
    this.stage = this.tables.stages[game.stage] ?? {
      name: `Stage ${game.stage}`, outline: [], tops: 0, platforms: [], blast: [-230, 230, 190, -120],
      sky: [[17, 22, 48], [52, 38, 86]], body: [44, 50, 78], edge: [150, 190, 255],
    };
    const targets = game.copies.map((copy) => this._target(copy));
    this.camera = smooth(targets, 20);
  }

  _target(copy) {
    const [left, right, top, bottom] = this.stage.blast;
    let box = [0, 0, 8, 8];
    for (const at of copy.post.values()) {
      const {x, y, action} = this.game._read("post", at);
      if (action <= LAST_DEAD_STATE || !Number.isFinite(x + y)) continue;
      const cx = between(x, left, right);
      const cy = between(y, bottom, top);
      box = [Math.min(box[0], cx), Math.max(box[1], cx), Math.min(box[2], cy), Math.max(box[3], cy)];
    }
    return [box[0] - 34, box[1] + 34, box[2] - 22, box[3] + 34];
  }

  /** Draw frame `index`. */
  draw(index) {
    const frame = this.game.frame(index);
    const {width, height} = this.canvas;
    this.c = this.canvas.getContext("2d");
    this._look(index, width, height);
    this._sky(width, height);
    this._blastZone();
    this._stage(frame);
    if (this.show.trails) this._trails(index);
    for (const fighter of [...frame.fighters].reverse()) this._fighter(fighter);
    for (const item of frame.items) this._item(item);
    this._clock(frame, width);
    return frame;
  }

  _look(index, width, height) {
    const [left, right, bottom, top] = this.camera[index];
    const wide = Math.max(right - left, (top - bottom) * width / height, 130);
    this.scale = width / wide;
    this.place = (x, y) => [width / 2 + (x - (left + right) / 2) * this.scale, height / 2 - (y - (bottom + top) / 2) * this.scale];
  }

  _sky(width, height) {
    const gradient = this.c.createLinearGradient(0, 0, 0, height);
    gradient.addColorStop(0, rgb(this.stage.sky[0]));
    gradient.addColorStop(1, rgb(this.stage.sky[1]));
    this.c.fillStyle = gradient;
    this.c.fillRect(0, 0, width, height);
  }

  _line(points, colour, width, closed = false) {
    const {c} = this;
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    if (closed) c.closePath();
    Object.assign(c, {strokeStyle: colour, lineWidth: width, lineJoin: "round", lineCap: "round"});
    c.stroke();
  }

  _fill(points, colour) {
    const {c} = this;
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.fillStyle = colour;
    c.fill();
  }

  _circle([x, y], radius, fill, stroke = null) {
    const {c} = this;
    c.beginPath();
    c.arc(x, y, Math.max(radius, 0.5), 0, 2 * Math.PI);
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) { Object.assign(c, {strokeStyle: stroke, lineWidth: 1.5}); c.stroke(); }
  }

  _blastZone() {
    const [left, right, top, bottom] = this.stage.blast;
    this._line([[left, top], [right, top], [right, bottom], [left, bottom]].map(([x, y]) => this.place(x, y)), "rgb(225,70,84)", 2, true);
  }

  _stage(frame) {
    const {stage} = this;
    if (stage.outline.length) {
      const outline = stage.outline.map(([x, y]) => this.place(x, y));
      this._fill(outline, rgb(stage.body));
      this._line(outline.slice(0, stage.tops), rgb(stage.edge), 3);
    }
    for (const [left, right, y] of [...stage.platforms, ...this._moving(frame)]) {
      this._line([this.place(left, y), this.place(right, y)], rgb(stage.edge), 3);
    }
  }

  _moving(frame) {
    if (this.game.stage === FOUNTAIN) {
      const [near, far] = FOUNTAIN_SIDE;
      return [[-far, -near, frame.fod[0]], [near, far, frame.fod[1]]];
    }
    if (this.game.stage === YOSHI) {
      const {randall} = this.tables;
      const [x, y] = randall[((frame.number % randall.length) + randall.length) % randall.length];
      return [[x - RANDALL_HALF, x + RANDALL_HALF, y]];
    }
    return [];
  }

  /** Where the fighters were during the last second. */
  _trails(index) {
    for (let back = 60; back > 0; back -= 2) {
      if (index < back) continue;
      for (const fighter of this.game.frame(index - back).fighters) {
        if (fighter.action > LAST_DEAD_STATE) this._circle(this.place(fighter.x, fighter.y + 5), 2.5, rgb(this.colour(fighter.port), 1 - back / 62));
      }
    }
  }

  colour(port) { return this.tables.portColours[port % this.tables.portColours.length]; }

  _fighter(fighter) {
    if (fighter.action <= LAST_DEAD_STATE || !Number.isFinite(fighter.x + fighter.y)) return;
    const look = this.tables.characters[fighter.character] ?? this.tables.characters[0];
    const middle = this.place(fighter.x, fighter.y + look.height / 2);
    const {width, height} = this.canvas;
    if (middle[0] < 0 || middle[0] > width || middle[1] < 0 || middle[1] > height) {
      this._circle([between(middle[0], 14, width - 14), between(middle[1], 14, height - 14)], 10, rgb(this.colour(fighter.port)), "white");
      return;
    }
    if (this.show.puppets) this._puppet(fighter, look);
    else this._circle(middle, look.height / 2 * this.scale, rgb(this.colour(fighter.port), 0.6), "white");
    if (fighter.action >= 178 && fighter.action <= 182) {
      const size = look.height * 0.57 * (0.3 + 0.7 * Math.max(fighter.shield, 0) / FULL_SHIELD);
      this._circle(middle, size * this.scale, rgb(this.colour(fighter.port), 0.45), rgb(this.colour(fighter.port)));
    }
    if (this.show.hitboxes) {
      for (const [x, y, radius] of this.hitboxes(fighter)) {
        this._circle(this.place(x, y), radius * this.scale, "rgba(255,60,60,0.45)", "rgb(255,150,140)");
      }
    }
  }

  /** Circles x, y, radius that are out on this frame. */
  hitboxes(fighter) {
    const age = Math.trunc(fighter.action_frame ?? -1);
    const flat = this.tables.hitboxes[`${fighter.character}-${fighter.action}`]?.[age] ?? [];
    const circles = [];
    for (let i = 0; i < flat.length; i += 3) {
      circles.push([fighter.x + fighter.facing * flat[i] / 100, fighter.y + flat[i + 1] / 100, flat[i + 2] / 100]);
    }
    return circles;
  }

  _pose(action, age) {
    const {pool, stand, states} = this.tables.poses;
    const row = states.find(([first, last]) => first <= action && action <= last);
    if (!row) return pool[stand];
    const ages = row.slice(3);
    const whole = Math.max(0, Math.floor(age ?? 0));
    return pool[ages[row[2] ? whole % ages.length : Math.min(whole, ages.length - 1)]];
  }

  _puppet(fighter, look) {
    const flat = this._pose(fighter.action, fighter.action_frame);
    const facing = fighter.facing < 0 ? -1 : 1;
    const at = (i) => this.place(fighter.x + facing * flat[2 * i] / 1000 * look.height, fighter.y + flat[2 * i + 1] / 1000 * look.height);
    const part = ([first, count]) => Array.from({length: count}, (_, i) => at(first + i));
    const unit = look.height * this.scale;
    const limb = 0.085 * unit * look.bulk ** 0.5;
    const trunk = 0.17 * unit * look.bulk;
    const head = 0.155 * unit * look.bulk ** 0.4;
    let colour = this.colour(fighter.port);
    let fur = look.fur;
    const tint = fighter.hurtbox === 1 ? [255, 255, 255] : fighter.hurtbox === 2 ? [120, 235, 255]
      : fighter.hitlag > 0 && fighter.hitstun > 0 ? [255, 240, 120] : null;
    if (tint) { colour = mix(colour, tint, 0.55); fur = mix(fur, tint, 0.55); }
    const shade = mix(colour, [0, 0, 0], 0.42);
    for (const [name, width] of [["far_arm", limb], ["far_leg", limb], ["torso", trunk], ["near_leg", limb], ["near_arm", limb]]) {
      this._line(part(PARTS[name]), "rgb(12,12,20)", width + 2.4);
    }
    this._line(part(PARTS.far_arm), rgb(shade), limb);
    this._line(part(PARTS.far_leg), rgb(shade), limb);
    const [hip, neck] = part(PARTS.torso);
    if (look.tail) this._line([hip, [hip[0] - facing * 0.16 * unit, hip[1]], [hip[0] - facing * 0.3 * unit, hip[1] - 0.1 * unit]], rgb(fur), 0.09 * unit);
    this._line([hip, neck], rgb(colour), trunk);
    this._line(part(PARTS.near_leg), rgb(mix(colour, [0, 0, 0], 0.2)), limb);
    this._head(part(PARTS.head)[0], hip, neck, head, facing, look, fur);
    this._line(part(PARTS.near_arm), rgb(mix(colour, [255, 255, 255], 0.16)), limb);
  }

  _head([cx, cy], hip, neck, radius, facing, look, fur) {
    const length = Math.hypot(neck[0] - hip[0], neck[1] - hip[1]) || 1;
    const up = [(neck[0] - hip[0]) / length, (neck[1] - hip[1]) / length];
    const ahead = [-up[1] * facing, up[0] * facing];
    const at = (forward, above) => [cx + (ahead[0] * forward + up[0] * above) * radius, cy + (ahead[1] * forward + up[1] * above) * radius];
    if (look.ears) {
      this._fill([at(-0.75, 0.5), at(-0.55, 1.75), at(0, 0.8)], rgb(mix(fur, [0, 0, 0], 0.3)));
      this._fill([at(-0.1, 0.8), at(0.2, 1.75), at(0.65, 0.6)], rgb(fur));
    }
    this._circle([cx, cy], radius, rgb(fur));
    if (look.beak) this._fill([at(0.7, 0.3), at(1.6, -0.15), at(0.7, -0.5)], "rgb(245,200,60)");
    else this._fill([at(0.5, 0.1), at(1.3, -0.35), at(0.4, -0.8)], rgb(mix(fur, [255, 255, 255], 0.55)));
    this._circle(at(0.45, 0.2), Math.max(radius * 0.17, 1), "rgb(16,16,24)");
  }

  _item(item) {
    if (!Number.isFinite(item.x + item.y)) return;
    const colour = item.owner >= 0 ? this.colour(item.owner) : [240, 240, 240];
    const head = this.place(item.x, item.y);
    this._line([this.place(item.x - 2 * item.vel_x, item.y - 2 * item.vel_y), head], rgb(colour), 1.1 * this.scale);
    this._circle(head, 0.9 * this.scale, "white");
  }

  _clock(frame, width) {
    const {c} = this;
    const seconds = Math.max(frame.number, 0) / 60;
    Object.assign(c, {fillStyle: "rgb(238,240,248)", font: "600 22px system-ui, sans-serif", textAlign: "center", textBaseline: "top"});
    c.fillText(frame.number < 0 ? "Ready" : `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(2).padStart(5, "0")}`, width / 2, 10);
    Object.assign(c, {font: "14px system-ui, sans-serif", textAlign: "left"});
    c.fillText(this.stage.name, 12, 12);
  }
}

/** Moving average of rows over ±reach. */
function smooth(rows, reach) {
  const sums = [[0, 0, 0, 0]];
  for (const row of rows) sums.push(row.map((value, k) => value + sums[sums.length - 1][k]));
  return rows.map((_, i) => {
    const first = Math.max(0, i - reach);
    const last = Math.min(rows.length, i + reach + 1);
    return sums[last].map((value, k) => (value - sums[first][k]) / (last - first));
  });
}

/** Draw sticks, buttons and triggers of one fighter on a small canvas. */
function drawController(canvas, fighter, buttons) {
  const c = canvas.getContext("2d");
  c.clearRect(0, 0, canvas.width, canvas.height);
  const stick = (x, y, radius, dx, dy, colour) => {
    Object.assign(c, {strokeStyle: "rgb(90,98,128)", lineWidth: 1.5, fillStyle: colour});
    c.beginPath(); c.arc(x, y, radius, 0, 2 * Math.PI); c.stroke();
    c.beginPath(); c.arc(x + dx * radius, y - dy * radius, radius * 0.32, 0, 2 * Math.PI); c.fill();
  };
  stick(30, 34, 22, fighter.stick_x ?? 0, fighter.stick_y ?? 0, "rgb(238,240,248)");
  stick(84, 42, 15, fighter.cstick_x ?? 0, fighter.cstick_y ?? 0, "rgb(245,205,80)");
  const held = fighter.buttons ?? 0;
  const pads = [["A", 134, 36, 10, "90,214,130"], ["B", 117, 48, 7, "236,84,84"], ["X", 152, 32, 7, "200,206,220"],
    ["Y", 130, 17, 7, "200,206,220"], ["Z", 152, 14, 6, "170,120,235"]];
  Object.assign(c, {font: "600 10px system-ui, sans-serif", textAlign: "center", textBaseline: "middle"});
  for (const [name, x, y, radius, colour] of pads) {
    const down = (held & buttons[name]) !== 0;
    c.beginPath(); c.arc(x, y, radius, 0, 2 * Math.PI);
    c.fillStyle = `rgba(${colour},${down ? 1 : 0.18})`;
    c.fill();
    c.fillStyle = down ? "rgb(10,12,20)" : "rgb(150,156,178)";
    c.fillText(name, x, y + 0.5);
  }
  [["L", fighter.trigger_l, 176], ["R", fighter.trigger_r, 192]].forEach(([name, analog, x]) => {
    const pull = held & buttons[name] ? 1 : analog ?? 0;
    c.fillStyle = "rgb(60,66,88)"; c.fillRect(x, 12, 9, 40);
    c.fillStyle = "rgb(120,200,255)"; c.fillRect(x, 52 - 40 * pull, 9, 40 * pull);
    c.fillStyle = "rgb(150,156,178)"; c.fillText(name, x + 4.5, 60);
  });
}
