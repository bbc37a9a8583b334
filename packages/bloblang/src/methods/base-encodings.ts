import { fail } from '../values/mapping-error.ts';

/** Texts for bytes, by the name of the scheme. */
export interface Encoding {
  encode(bytes: Buffer): string;
  decode(bytes: Buffer): Buffer;
}

function base64(alphabet: RegExp, isPadded: boolean, kind: 'base64' | 'base64url'): Encoding {
  return {
    encode(bytes) {
      const text = bytes.toString(kind);
      return kind === 'base64url' && isPadded ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text;
    },
    decode(bytes) {
      const text = bytes.toString('latin1').replace(/[\r\n]/g, '');
      const body = isPadded ? text.replace(/={1,2}$/, '') : text;
      const wrong = body.search(alphabet);
      // Groups of four are read whole.
      const isCut = isPadded && text.length % 4 !== 0;
      if (wrong >= 0 && !(isCut && wrong >= text.length - (text.length % 4)))
        fail(`illegal base64 data at input byte ${wrong}`);
      if (isCut || body.length % 4 === 1)
        fail(isPadded ? 'unexpected EOF' : `illegal base64 data at input byte ${body.length}`);
      return Buffer.from(body, kind);
    },
  };
}

const hex: Encoding = {
  encode: (bytes) => bytes.toString('hex'),
  decode(bytes) {
    const text = bytes.toString('latin1');
    const wrong = /[^0-9a-fA-F]/.exec(text)?.[0];
    if (wrong !== undefined) {
      const code = wrong.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      fail(`encoding/hex: invalid byte: U+${code} '${wrong}'`);
    }
    if (text.length % 2 !== 0) fail('unexpected EOF');
    return Buffer.from(text, 'hex');
  },
};

/** Five characters for four bytes. */
function base85(characters: string, bytes: Buffer, shortZeros: boolean): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const count = Math.min(4, bytes.length - at);
    let value = 0;
    for (let index = 0; index < 4; index++) value = value * 256 + (index < count ? bytes[at + index]! : 0);
    if (value === 0 && shortZeros && count === 4) {
      text += 'z';
      continue;
    }
    let group = '';
    for (let index = 0; index < 5; index++) {
      group = characters[value % 85]! + group;
      value = Math.floor(value / 85);
    }
    text += group.slice(0, count + 1);
  }
  return text;
}

function unBase85(characters: string, text: string, shortZeros: boolean): Buffer {
  const out: number[] = [];
  let group: number[] = [];
  const flush = (count: number): void => {
    let value = 0;
    for (let index = 0; index < 5; index++) value = value * 85 + (group[index] ?? 84);
    for (let index = 0; index < count; index++) out.push(Math.floor(value / 256 ** (3 - index)) % 256);
    group = [];
  };
  for (const [index, character] of [...text].entries()) {
    if (shortZeros && character <= ' ') continue;
    if (shortZeros && character === 'z' && group.length === 0) {
      out.push(0, 0, 0, 0);
      continue;
    }
    const digit = characters.indexOf(character);
    if (digit < 0) fail(`illegal ascii85 data at input byte ${index}`);
    group.push(digit);
    if (group.length === 5) flush(4);
  }
  if (group.length === 1) fail(`illegal ascii85 data at input byte ${text.length - 1}`);
  if (group.length > 0) flush(group.length - 1);
  return Buffer.from(out);
}

const ascii85Characters = Array.from({ length: 85 }, (_none, index) => String.fromCharCode(33 + index)).join(
  '',
);
const z85Characters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';

const ascii85: Encoding = {
  encode: (bytes) => base85(ascii85Characters, bytes, true),
  decode: (bytes) => unBase85(ascii85Characters, bytes.toString('latin1'), true),
};

const z85: Encoding = {
  encode(bytes) {
    if (bytes.length % 4 !== 0) fail('z85: the number of bytes is not a multiple of 4');
    return base85(z85Characters, bytes, false);
  },
  decode(bytes) {
    if (bytes.length % 5 !== 0) fail('z85: the number of characters is not a multiple of 5');
    return unBase85(z85Characters, bytes.toString('latin1'), false);
  },
};

const encodings: Readonly<Record<string, Encoding>> = {
  base64: base64(/[^A-Za-z0-9+/]/, true, 'base64'),
  base64url: base64(/[^A-Za-z0-9_-]/, true, 'base64url'),
  base64rawurl: base64(/[^A-Za-z0-9_-]/, false, 'base64url'),
  hex,
  ascii85,
  z85,
};

export function encodingNamed(name: string): Encoding {
  const encoding = Object.hasOwn(encodings, name) ? encodings[name] : undefined;
  return encoding ?? fail(`unrecognized encoding type: ${name}`);
}
