/** A field with a number that is not negative. */
export function int64Field(number: number, value: number): Buffer {
  return Buffer.from([number << 3, ...varint(value)]);
}

export function textField(number: number, text: string): Buffer {
  return messageField(number, Buffer.from(text));
}

export function messageField(number: number, message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(message.length)]), message]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest % 0x80) | 0x80);
  }
}
