import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { systemClock } from '@weir/core';
import { SourceCluster, type SourceLogin } from '../src/source/index.ts';

type Lifetime = { after(run: () => Promise<void>): void };

const anonymous: SourceLogin = { tls: undefined, login: undefined };

/** A source to copy, whose answers a test decides. */
export async function startSource(
  t: Lifetime,
  options: FakeKafkaOptions = {},
  login: SourceLogin = anonymous,
): Promise<{ readonly kafka: FakeKafka; readonly source: SourceCluster }> {
  const kafka = await FakeKafka.start({ topics: { orders: 2 }, ...options });
  t.after(() => kafka.stop());
  return { kafka, source: openSource(t, kafka.port(), login, options.advertisedHost) };
}

export function openSource(
  t: Lifetime,
  port: number,
  login: SourceLogin = anonymous,
  host = '127.0.0.1',
): SourceCluster {
  const stop = new AbortController();
  const source = new SourceCluster({
    ...login,
    bootstrap: [{ host, port }],
    lookupFor: undefined,
    clock: systemClock,
    stop: stop.signal,
    timeoutMs: 5_000,
  });
  t.after(async () => {
    stop.abort();
    await source.close();
  });
  return source;
}
