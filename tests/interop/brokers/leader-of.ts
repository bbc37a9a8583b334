import { pause } from './waiting.ts';
import type { WeirProcess } from './weir-process.ts';

/** Returns the index of the process that leads a cluster, from the processes' metrics. */
export async function leaderOf(planes: readonly WeirProcess[], clusterId: string): Promise<number> {
  for (;;) {
    for (const [index, plane] of planes.entries()) {
      const text = await (await fetch(`${plane.address('control plane')}/metrics`)).text();
      const line = text
        .split('\n')
        .find((row) => row.startsWith('service_cluster_leader{') && row.includes(clusterId));
      if (line?.endsWith(' 1') === true) return index;
    }
    await pause();
  }
}
