/** Offsets of partitions in a file: as Kafka's tool exports them, or as this one prints them as JSON. */

import { Failure } from '@weir/core';

export interface FileOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

const partitionMax = 2_147_483_647;

/** Throws a `Failure` that names the line or the item. Lines may begin with the name of the group. */
export function readOffsetsFile(path: string, groupId: string, text: string): readonly FileOffset[] {
  const about = `-from-file=${path}`;
  const offsets = /^\s*[[{]/.test(text) ? jsonOffsets(about, text) : lineOffsets(about, groupId, text);
  const seen = new Set<string>();
  for (const { topic, partition } of offsets) {
    const key = `${topic}:${partition}`;
    if (seen.has(key)) throw new Failure(`${about}: topic ${topic}, partition ${partition} is listed twice`);
    seen.add(key);
  }
  if (offsets.length === 0) throw new Failure(`${about}: contains no offsets`);
  return offsets;
}

/** One line of the file: `orders,0,42`. Topics have no characters that need quotes. */
export function offsetLine({ topic, partition, offset }: FileOffset): string {
  return `${topic},${partition},${offset}\n`;
}

function lineOffsets(about: string, groupId: string, text: string): readonly FileOffset[] {
  const offsets: FileOffset[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const fields = fieldsOf(line);
    const [topic, partition, offset] = fields.slice(-3);
    const found = fields.length === 3 || fields.length === 4 ? offsetOf(topic, partition, offset) : undefined;
    if (found === undefined)
      throw new Failure(
        `${about}: line ${index + 1} is not topic,partition,offset, or group,topic,partition,offset`,
      );
    if (fields.length === 4 && fields[0] !== groupId)
      throw new Failure(`${about}: line ${index + 1} is for another group than -group=${groupId}`);
    offsets.push(found);
  }
  return offsets;
}

/** The fields of a line of CSV, each with or without quotes. */
function fieldsOf(line: string): readonly string[] {
  const fields = line.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,]*)(?=,|$)/g) ?? [];
  return fields.map((field) => {
    const text = field.trim();
    return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
  });
}

function jsonOffsets(about: string, text: string): readonly FileOffset[] {
  const items = itemsOf(about, text);
  return items.map((item, index) => {
    const { topic, partition, offset, newOffset } = (item ?? {}) as Record<string, unknown>;
    const found = offsetOf(topic, partition, offset ?? newOffset);
    if (found !== undefined) return found;
    throw new Failure(`${about}: item ${index + 1} is not an object with topic, partition and offset`);
  });
}

function itemsOf(about: string, text: string): readonly unknown[] {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    throw new Failure(`${about}: not valid JSON: ${(error as Error).message}`);
  }
  const items = Array.isArray(root) ? root : (root as { partitions?: unknown }).partitions;
  if (!Array.isArray(items)) throw new Failure(`${about}: has no list of partitions`);
  return items;
}

function offsetOf(topic: unknown, partition: unknown, offset: unknown): FileOffset | undefined {
  const [partitionNumber, offsetNumber] = [numberOf(partition), numberOf(offset)];
  if (typeof topic !== 'string' || !/^[A-Za-z0-9._-]{1,249}$/.test(topic)) return undefined;
  if (partitionNumber === undefined || partitionNumber > partitionMax || offsetNumber === undefined)
    return undefined;
  return { topic, partition: partitionNumber, offset: BigInt(offsetNumber) };
}

function numberOf(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,16}$/.test(value));
  const number = isNumber ? Number(value) : -1;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
