/**
 * Chance from a seed (sfc32), and the words that generated events are filled with. The same seed gives the same words
 * on every machine.
 */
const WORDS =
  'the agent reads file before patch because test fails with timeout when cache is cold so plan two rewrites parser keeps api stable adds guard for null input and reruns suite until green then asks reviewer about migration risk “quoted” naïve café résumé — 日本 ok'.split(
    ' ',
  );
const HEX = '0123456789abcdef';

export class Random {
  constructor(seed) {
    this.state = [0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162, seed | 1];
    for (let i = 0; i < 20; i++) this.bits();
  }

  /** 32 bits. */
  bits() {
    const state = this.state;
    const sum = (((state[0] + state[1]) | 0) + state[3]) | 0;
    state[3] = (state[3] + 1) | 0;
    state[0] = state[1] ^ (state[1] >>> 9);
    state[1] = (state[2] + (state[2] << 3)) | 0;
    state[2] = (((state[2] << 21) | (state[2] >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  chance(share) {
    return this.bits() < share * 4294967296;
  }

  /** A whole number, both ends included. */
  int(least, most) {
    return least + Math.floor((this.bits() / 4294967296) * (most - least + 1));
  }

  pick(list) {
    return list[this.int(0, list.length - 1)];
  }

  hex(digits) {
    let text = '';
    while (text.length < digits) {
      for (let rest = this.bits(), n = 0; n < 8; n++, rest >>>= 4) text += HEX[rest & 15];
    }
    return text.slice(0, digits);
  }

  /** About so many characters; now and then a line feed, a tab or quotation marks, which JSON escapes. */
  text(length) {
    let text = '';
    while (text.length < length) {
      const roll = this.int(0, 99);
      if (text !== '') text += roll < 2 ? '\n' : roll === 2 ? '\t' : ' ';
      const word = this.pick(WORDS);
      text += roll > 97 ? `"${word}"` : word;
    }
    return text;
  }
}
