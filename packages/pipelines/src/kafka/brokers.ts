import type { Address } from '@weir/client';

/** Parses `host:9092` and `a:9092,b:9092`; a text says what is wrong. */
export function parseBrokers(texts: readonly string[]): readonly [Address, ...Address[]] | string {
  const addresses: Address[] = [];
  for (const item of texts.flatMap((text) => text.split(','))) {
    const text = item.trim();
    if (text === '') return 'has an empty address';
    const found = /^(?:\[([\da-fA-F:.]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/.exec(text);
    const port = Number(found?.[3] ?? 9092);
    if (found === null || port < 1 || port > 65_535) return `has ${text}; write it as host:9092`;
    addresses.push({ host: (found[1] ?? found[2])!, port });
  }
  const [first, ...others] = addresses;
  return first === undefined ? 'has no address' : [first, ...others];
}
