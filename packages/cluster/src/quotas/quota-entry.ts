export type Quotas = Readonly<Record<string, number>>;

/** Reads the entry of an entity. */
export function readQuotas(value: Uint8Array): Quotas {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.length).toString()) as Quotas;
}
