import { type Decoders, formatsOf, readDecoder } from './decoders.ts';

/** What stands in the URL. Without `start`, a partition and an offset are a link to one record. */
export interface MessagesSearch extends Decoders {
  readonly partition?: number | undefined;
  readonly start?: Start | undefined;
  readonly offset?: number | undefined;
  readonly time?: string | undefined;
  readonly limit?: number | undefined;
  readonly contains?: string | undefined;
  /** Whether `contains` is found as it is written only. */
  readonly case?: true | undefined;
  readonly filter?: string | undefined;
  readonly cursor?: string | undefined;
  readonly live?: true | undefined;
  /** The record whose details are open: `2:42`. */
  readonly record?: string | undefined;
}

const starts = ['newest', 'oldest', 'offset', 'time'] as const;
export type Start = (typeof starts)[number];

export const limitDefault = 50;
const limitMax = 500;

/** Reads the parameters of a URL. Those that mean nothing here count as left out. */
export function readMessagesSearch(given: Record<string, unknown>): MessagesSearch {
  const start = starts.find((one) => one === given.start);
  const limit = whole(given.limit);
  return defined({
    partition: whole(given.partition),
    start,
    offset: whole(given.offset),
    time: text(given.time),
    limit: limit === undefined ? undefined : Math.min(Math.max(limit, 1), limitMax),
    contains: text(given.contains),
    case: given.case === true ? true : undefined,
    filter: text(given.filter),
    keyAs: readDecoder(given.keyAs),
    valueAs: readDecoder(given.valueAs),
    cursor: text(given.cursor),
    live: given.live === true ? true : undefined,
    record: /^\d+:\d+$/.test(String(given.record)) ? String(given.record) : undefined,
  });
}

/** Where the list begins. */
export function startOf({ start, offset }: MessagesSearch): Start {
  return start ?? (offset === undefined ? 'newest' : 'offset');
}

/** The record whose details are open: the chosen one, or that of a link. */
export function chosenRecord(search: MessagesSearch): string | undefined {
  const { record, partition, offset, start, cursor } = search;
  if (record !== undefined) return record;
  const isLink =
    partition !== undefined && offset !== undefined && start === undefined && cursor === undefined;
  return isLink ? `${partition}:${offset}` : undefined;
}

/** The parameters of `read_records` that a URL stands for. */
export function readInputOf(search: MessagesSearch) {
  const { partition, offset, time, limit = limitDefault, cursor } = search;
  const start = startOf(search);
  const timeMs = time === undefined ? Number.NaN : Date.parse(time);
  return {
    ...(cursor === undefined
      ? {
          start,
          partitions: partition === undefined ? [] : [partition],
          ...(start === 'offset' ? { offset: offset ?? 0 } : {}),
          ...(start === 'time' ? { time: new Date(Number.isNaN(timeMs) ? 0 : timeMs).toISOString() } : {}),
        }
      : { cursor }),
    limit,
    ...wantedOf(search),
  };
}

/** Which records are wanted, and how they are decoded: what all reads of a page have in common. */
export function wantedOf(search: MessagesSearch) {
  const { contains, filter } = search;
  return {
    ...(contains === undefined ? {} : { contains }),
    ...(contains === undefined || search.case === true ? {} : { ignore_case: true }),
    ...(filter === undefined ? {} : { filter }),
    ...formatsOf(search),
  };
}

function whole(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The router reads texts that look like JSON as what they say. */
function text(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function defined(search: MessagesSearch): MessagesSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
