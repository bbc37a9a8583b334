import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestCa } from '../../../packages/security/testing/test-ca.ts';
import { weirAtLeast } from '../bars.ts';
import type { BenchResult } from '../bench-result.ts';
import type { BenchRow } from '../bench-run.ts';
import { Lifetime } from '../lifetime.ts';
import type { ClientSettings } from '../load.ts';
import { type Contender, measured, measuredResultOf, type Sample } from '../versus.ts';
import { startPlayground } from '../weir.ts';
import { throughputSettings } from './produce.ts';

const row = 'produce over TLS, 4 producers, 1 partition';

/** Measures the same work with and without TLS, in turns. */
export const encryptedRow: BenchRow = {
  name: 'produce-tls',
  isQuick: false,
  run: (bench) =>
    Lifetime.during(async (lifetime): Promise<BenchResult[]> => {
      const { load, sizes, weirOptions } = bench;
      const { flags, client } = await certificates(lifetime.folder());
      const sides = [
        {
          contender: { broker: await startPlayground(lifetime, weirOptions) } satisfies Contender,
          settings: throughputSettings,
        },
        {
          contender: {
            broker: await startPlayground(lifetime, { ...weirOptions, flags }),
          } satisfies Contender,
          settings: { ...throughputSettings, ...client },
        },
      ];
      // Topics are auto-created by writes, because only producers have the TLS settings.
      const work = { topics: ['encrypted'], partitions: 1, producers: 4 };
      for (const { contender, settings } of sides) {
        const records = sizes.warmUpRecords;
        await load.produce(contender.broker.servers, { ...work, settings, records });
      }
      const samples: [plain: Sample, encrypted: Sample][] = [];
      for (let turn = 0; turn < sizes.runs; turn++) {
        const pair: Sample[] = [];
        for (const index of turn % 2 === 0 ? [0, 1] : [1, 0]) {
          const { contender, settings } = sides[index]!;
          const { sample } = await measured(contender, (servers) =>
            load.produce(servers, { ...work, settings, records: sizes.records }),
          );
          pair[index] = sample;
          bench.print(`  ${index === 0 ? 'without' : 'with'} TLS: ${JSON.stringify(sample)}`);
        }
        samples.push([pair[0]!, pair[1]!]);
      }
      const ratios = samples.map(([plain, encrypted]) => ({
        ofPlain: encrypted.mbPerSecond! / plain.mbPerSecond!,
      }));
      const encrypted = samples.map(([, sample]) => sample);
      return [
        measuredResultOf(row, { key: 'mbPerSecond', metric: 'throughput', unit: 'MB/s' }, encrypted),
        measuredResultOf(row, { key: 'cpuSecondsPerGb', metric: 'server CPU', unit: 's/GB' }, encrypted),
        measuredResultOf(
          row,
          { key: 'ofPlain', metric: 'of the throughput without TLS', unit: 'x', bar: weirAtLeast(0.7, 'x') },
          ratios,
        ),
      ];
    }),
};

/** Creates the TLS files for a server and a client. */
async function certificates(
  folder: string,
): Promise<{ readonly flags: readonly string[]; readonly client: ClientSettings }> {
  const ca = await TestCa.create();
  const { certificate, privateKey } = await ca.issueServer();
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    flags: [
      '-kafkaTLS',
      ...['-tlsServerCertFile', write('server.crt', certificate)],
      ...['-tlsServerPrivateKeyFile', write('server.key', privateKey)],
    ],
    client: {
      'security.protocol': 'SSL',
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': write('ca.crt', ca.certificate),
    },
  };
}
