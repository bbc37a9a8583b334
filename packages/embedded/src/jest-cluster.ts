import type { TestCluster } from './cluster.ts';

/** Jest loads setup and teardown apart: they share nothing but the process. */
const key = Symbol.for('weir.testing.cluster');
const place = globalThis as { [key]?: TestCluster };

export function rememberCluster(cluster: TestCluster): void {
  place[key] = cluster;
}

export function rememberedCluster(): TestCluster | undefined {
  return place[key];
}
