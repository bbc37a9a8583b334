import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallOf, OutputOf } from '@weir/api/client';
import { systemClock } from '@weir/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from './client.ts';

/** Rows that one call reads. */
const pageRows = 100;
/** Pages that fast scrolling only passes are not read. */
const settledMs = 60;

type PagedInput = { readonly skip?: number | undefined; readonly limit?: number | undefined };
type PagedName = 'list_topics' | 'list_topic_partitions';
type CallInput<Name extends PagedName> = Omit<CallOf<Name>, keyof PagedInput>;

interface WindowOptions<Answer, Row> {
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly countOf: (answer: Answer) => number;
  readonly everyMs?: number;
}

/** Reads a list of any length page by page, where it is seen. `first` is the answer with the beginning of the list. */
export function useRowWindow<Name extends PagedName, Row>(
  name: Name,
  input: CallInput<Name>,
  options: WindowOptions<OutputOf<Name>, Row>,
) {
  const { rowsOf, countOf, everyMs } = options;
  const queries = useQueryClient();
  const key = JSON.stringify(input);
  const [seen, setSeen] = useState<readonly [number, number]>([0, 0]);
  const query = (page: number) => ({
    queryKey: [name, input, page],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      call(name, { ...input, skip: page * pageRows, limit: pageRows } as unknown as CallOf<Name>, signal),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
  const first = useQuery({ ...query(0), placeholderData: keepPreviousData });
  const pages = Array.from({ length: seen[1] - seen[0] + 1 }, (_, index) => seen[0] + index);
  const answers = useQueries({ queries: pages.filter((page) => page > 0).map(query) });
  const cancel = useRef(() => {});
  useEffect(() => () => cancel.current(), []);
  const updates = answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const count = first.data === undefined ? undefined : countOf(first.data);
  const { data } = first;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `updates` stands for the pages that came.
  const window = useMemo(() => {
    if (data === undefined || count === undefined) return undefined;
    const found = new Map<number, readonly Row[]>([[0, rowsOf(data)]]);
    const rowsOfPage = (page: number) => {
      if (found.has(page)) return found.get(page)!;
      const answer = queries.getQueryData<typeof data>([name, JSON.parse(key), page]);
      const rows = answer === undefined ? [] : rowsOf(answer);
      found.set(page, rows);
      return rows;
    };
    return {
      count,
      rowAt: (index: number) => rowsOfPage(Math.floor(index / pageRows))[index % pageRows],
      onSeen: (from: number, to: number) => {
        const next = [Math.floor(from / pageRows), Math.floor(to / pageRows)] as const;
        cancel.current();
        cancel.current = systemClock.after(settledMs, () =>
          setSeen((now) => (now[0] === next[0] && now[1] === next[1] ? now : next)),
        );
      },
    };
  }, [data, count, updates, key, name, queries, rowsOf]);
  return { first, window };
}
