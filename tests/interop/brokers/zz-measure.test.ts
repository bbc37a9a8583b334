import { after, test } from 'node:test';
import { openJavaClient } from '/work/main/tests/interop/brokers/java-client.ts';
import { createTopic } from '/work/main/tests/interop/brokers/topics.ts';
import { startLocal } from '/work/main/tests/interop/brokers/weir-process.ts';
test('copy', { timeout: 500_000 }, async () => {
  const broker = (await startLocal({ after })).address('Kafka');
  const java = openJavaClient({ after });
  await createTopic(broker, 'from', 4);
  const N = 600_000;
  await java.ask('produce', broker, 'from', 4, N, 1_700_000_000_000, 'linger.ms=5');
  for (const per of [2000, 10000]) {
   for (let run = 0; run < 4; run++) {
    for (const id of run % 2 ? [`copier-${per}-${run}`, '-'] : ['-', `copier-${per}-${run}`]) {
      const to = `to-${per}-${run}-${id === '-' ? 'plain' : 'tx'}`;
      await createTopic(broker, to, 4);
      const { copied, elapsedMs } = await java.ask<any>('tx-copy', broker, 'from', to, per, id);
      console.log(to, copied, elapsedMs, 'ms', Math.round(copied / elapsedMs * 1000), 'records/s');
    }
   }
  }
});
