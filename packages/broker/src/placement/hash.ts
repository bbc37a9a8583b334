/** FNV-1a over UTF-16 units, then mixed, because FNV leaves the high bits of short texts alike. 32 bits, unsigned. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

/** Combines two hashes; the order counts. */
export function combine(a: number, b: number): number {
  return mix(Math.imul(a, 0x9e3779b1) ^ mix(b));
}

/** The finalizer of MurmurHash3: every input bit affects every output bit. */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
