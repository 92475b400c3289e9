// An upper bound on the tokens of a text, whatever its script: what a hold reserves must not be less than the provider
// counts. The four characters of the fit check are an average of English; Chinese has three times as many tokens.
//
// One pass. A word of Latin letters costs its start, its letters, and more where two letters seldom meet: that is what
// tells English from other languages, and those from random letters. Every other character costs by its script. The
// weights are the least that are enough for five tokenizers: docs/decisions/money.md (The bound on tokens).

/** The unit of weights: a hundredth of a token. */
export const WEIGHT_PER_TOKEN = 100;

const WORD = 86;
const LETTER = 25;
const RARE_PAIR = 73;
const CAPITAL = 7;
const DIGIT = 102;
const SIGN = 100;
const NEXT_SIGN = 78;
const NEXT_SPACE = 15;
const SPACE_BESIDE_OTHERS = 73;
const LINE_BREAK = 117;

/** The pairs of letters that are frequent in English. */
const FREQUENT_PAIRS =
  "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug";

const FIRST_LETTER = 97;
const LETTERS = 26;
const ASCII = 0x80;

/** Weights of characters beyond ASCII, from the first to before the next of them; by default three bytes. */
const SCRIPTS: readonly (readonly [from: number, weight: number])[] = [
  [0x80, 140], // Latin-1
  [0x100, 118], // Latin Extended
  [0x250, 210],
  [0x300, 150], // marks
  [0x370, 190], // Greek
  [0x3ac, 125], // its small letters
  [0x3d0, 190],
  [0x400, 115], // Cyrillic
  [0x430, 88], // its small letters
  [0x450, 180],
  [0x530, 212], // Armenian
  [0x590, 135], // Hebrew
  [0x600, 130], // Arabic
  [0x700, 215],
  [0x800, 310],
  [0x900, 133], // Devanagari
  [0x980, 200], // Bengali
  [0xa00, 322], // Gurmukhi
  [0xa80, 310], // Gujarati
  [0xb00, 310],
  [0xb80, 208], // Tamil
  [0xc00, 235], // Telugu
  [0xc80, 232], // Kannada
  [0xd00, 245], // Malayalam
  [0xd80, 212], // and the script after it
  [0xe00, 184], // Thai
  [0xe80, 312], // Lao, Tibetan
  [0x1000, 210], // Myanmar, Georgian
  [0x1100, 335], // Ethiopic and others
  [0x1e00, 150], // Latin Extended Additional
  [0x1f00, 310],
  [0x2000, 125], // punctuation
  [0x2070, 275], // symbols
  [0x2e80, 310],
  [0x3000, 132], // punctuation of East Asia
  [0x3040, 100], // Hiragana, Katakana
  [0x3100, 312],
  // Half of a character: both halves together are one of four bytes.
  [0xd800, 150],
  [0xe000, 310],
  [0xff00, 132], // full-width forms
];

/** Characters of the first levels of the national standards: those of ordinary texts. */
const COMMON_CHARACTERS = [
  { encoding: "gbk", rows: [0xb0, 0xd7], weight: 152 },
  { encoding: "big5", rows: [0xa4, 0xc6], weight: 152 },
  { encoding: "euc-jp", rows: [0xb0, 0xcf], weight: 152 },
  { encoding: "euc-kr", rows: [0xb0, 0xc8], weight: 138 },
] as const;

const FIRST_CJK = 0x3400;
const LAST_HANGUL = 0xd7a3;

let weights: Uint16Array | null = null;

/** The weight of every code unit beyond ASCII; made at the first text that needs it. */
function weightsOfScripts(): Uint16Array {
  const made = new Uint16Array(0x10000);
  SCRIPTS.forEach(([from, weight], at) => made.fill(weight, from, SCRIPTS[at + 1]?.[0]));
  for (const { encoding, rows, weight } of COMMON_CHARACTERS) {
    const decoder = new TextDecoder(encoding);
    const [first, last] = rows;
    for (let row = first; row <= last; row++) {
      for (let cell = 0x40; cell <= 0xfe; cell++) {
        const code = decoder.decode(new Uint8Array([row, cell])).charCodeAt(0);
        if (code >= FIRST_CJK && code <= LAST_HANGUL) made[code] = weight;
      }
    }
  }
  return made;
}

const KIND = { start: 0, letter: 1, sign: 2, space: 3, digit: 4, other: 5 } as const;
/** What stands before the first character, and in the place of one beyond ASCII. Neither occurs in a text of its own. */
const START = ASCII;
const OTHER = ASCII + 1;

let pairs: Uint8Array | null = null;

/** The weight of every ASCII character after each other one, START and OTHER; made at the first text. */
function weightsOfPairs(): Uint8Array {
  const frequent = new Set(FREQUENT_PAIRS.split(" "));
  const made = new Uint8Array((OTHER + 1) * ASCII);
  for (let previous = 0; previous <= OTHER; previous++) {
    for (let code = 0; code < ASCII; code++) made[previous * ASCII + code] = weightAfter(previous, code, frequent);
  }
  return made;
}

function weightAfter(previous: number, code: number, frequent: ReadonlySet<string>): number {
  const before = kindOf(previous);
  switch (kindOf(code)) {
    case KIND.letter: {
      const capital = code < FIRST_LETTER ? CAPITAL : 0;
      if (before !== KIND.letter) return WORD + capital;
      const isFrequent = frequent.has(String.fromCharCode(previous, code).toLowerCase());
      return LETTER + (isFrequent ? 0 : RARE_PAIR) + capital;
    }
    case KIND.space:
      if (isLineBreak(code)) return LINE_BREAK;
      return before === KIND.space ? NEXT_SPACE : before === KIND.other ? SPACE_BESIDE_OTHERS : 0;
    case KIND.digit:
      return DIGIT;
    default:
      return before === KIND.sign ? NEXT_SIGN : SIGN;
  }
}

function kindOf(code: number): number {
  if (code === START) return KIND.start;
  if (code === OTHER) return KIND.other;
  const letter = (code | 0x20) - FIRST_LETTER;
  if (letter >= 0 && letter < LETTERS) return KIND.letter;
  if (code === 0x20 || code === 0x09 || isLineBreak(code)) return KIND.space;
  return code >= 0x30 && code <= 0x39 ? KIND.digit : KIND.sign;
}

function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

/** The most that a text weighs, in hundredths of a token: no less than its tokens with any provider. */
export function weighText(text: string): number {
  const afterEach = (pairs ??= weightsOfPairs());
  let weight = 0;
  let previous = START;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ASCII) {
      weight += afterEach[previous * ASCII + code] ?? 0;
      previous = code;
    } else {
      weights ??= weightsOfScripts();
      weight += weights[code] ?? 0;
      previous = OTHER;
    }
  }
  return weight;
}
