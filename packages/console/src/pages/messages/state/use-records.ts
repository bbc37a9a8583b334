import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { systemClock } from '@weir/core';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../../api/client.ts';
import { useClusterId } from '../../../api/use-cluster.ts';
import { type Decoders, decodedRecord, formatsOf } from './decoders.ts';
import { type MessagesSearch, readInputOf, wantedOf } from './messages-search.ts';
import { useReader } from './reader.ts';
import type { ReadAnswer, TopicRecord } from './records.ts';

/** Reads the page of records that the URL stands for. It is read again only on request: a scan may be long. */
export function useRecords(topic: string, search: MessagesSearch) {
  const clusterId = useClusterId();
  const { version, login, isReady } = useReader(clusterId);
  const input = readInputOf(search);
  return useQuery({
    queryKey: ['read_records', clusterId, topic, input, version],
    queryFn: ({ signal }) =>
      call(
        'read_records',
        { virtual_cluster_id: clusterId, topic_name: topic, ...input, ...login() },
        signal,
      ),
    enabled: isReady,
    ...(isReady ? { placeholderData: keepPreviousData } : {}),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  });
}

/** One whole record, as the list shows it or in another way. */
export function useWholeRecord(
  { topic, record }: { topic: string; record: TopicRecord },
  decoders: Decoders,
  isEnabled: boolean,
) {
  const clusterId = useClusterId();
  const { version, login, isReady } = useReader(clusterId);
  const { partition, offset } = record;
  return useQuery({
    queryKey: ['read_records', 'whole', clusterId, topic, partition, offset, decoders, version],
    queryFn: async ({ signal }) => {
      const { records } = await call(
        'read_records',
        {
          virtual_cluster_id: clusterId,
          topic_name: topic,
          partitions: [partition],
          start: 'offset',
          offset,
          limit: 1,
          whole: true,
          ...formatsOf(decoders),
          ...login(),
        },
        signal,
      );
      const [found] = records;
      if (found?.offset !== offset) throw new Error('The record has been deleted.');
      return decodedRecord(found, decoders);
    },
    enabled: isEnabled && isReady,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  });
}

/** How often a live view asks, from busy to silent topics, and what it keeps. */
const liveMsMin = 1_000;
const liveMsMax = 5_000;
const liveRecordsMax = 500;
const perCallMax = 100;

interface LiveOptions {
  readonly topic: string;
  readonly search: MessagesSearch;
  /** Where records begin that are not on the page. */
  readonly cursor: string | null | undefined;
  readonly isOn: boolean;
  /** While true, nothing is asked and nothing moves. */
  readonly isPaused: boolean;
}

/** Records that arrive while the page is open, the newest first. */
export function useLive({ topic, search, cursor, isOn, isPaused }: LiveOptions) {
  const clusterId = useClusterId();
  const { login } = useReader(clusterId);
  const loginNow = useRef(login);
  loginNow.current = login;
  const [records, setRecords] = useState<ReadAnswer['records']>([]);
  const [error, setError] = useState<unknown>(undefined);
  const position = useRef(cursor);
  // A text, because a new object would begin anew.
  const wanted = JSON.stringify(wantedOf(search));
  // Another list begins anew.
  useEffect(() => {
    position.current = cursor;
    setRecords([]);
    setError(undefined);
  }, [cursor]);
  const isAsking = isOn && !isPaused && typeof cursor === 'string' && error === undefined;
  useEffect(() => {
    if (!isAsking) return;
    const stopped = new AbortController();
    let waitMs = liveMsMin;
    const ask = async () => {
      try {
        const answer = await call(
          'read_records',
          {
            virtual_cluster_id: clusterId,
            topic_name: topic,
            cursor: position.current!,
            limit: perCallMax,
            ...(JSON.parse(wanted) as ReturnType<typeof wantedOf>),
            ...loginNow.current(),
          },
          stopped.signal,
        );
        if (stopped.signal.aborted) return;
        position.current = answer.newer_cursor ?? position.current;
        const found = answer.records;
        waitMs = found.length > 0 ? liveMsMin : Math.min(waitMs * 2, liveMsMax);
        if (found.length > 0)
          setRecords((before) => [...found.toReversed(), ...before].slice(0, liveRecordsMax));
        cancel = systemClock.after(waitMs, ask);
      } catch (thrown) {
        if (!stopped.signal.aborted) setError(thrown);
      }
    };
    let cancel = systemClock.after(liveMsMin, ask);
    return () => {
      stopped.abort();
      cancel();
    };
  }, [isAsking, clusterId, topic, wanted]);
  return { records, error, retry: () => setError(undefined) };
}
