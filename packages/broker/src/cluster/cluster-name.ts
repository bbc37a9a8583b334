import type { EntriesView } from '@weir/cluster';
import { clusterFacts } from '@weir/cluster';

const { key } = clusterFacts.name;

/** Returns a reader of the display name of the cluster, as the control plane last published it. */
export function clusterNameIn(facts: EntriesView): () => string | undefined {
  let name: string | undefined;
  let version = -1;
  return () => {
    if (facts.version !== version) {
      const value = facts.byKey.get(key);
      name = value === undefined ? undefined : Buffer.from(value).toString();
      version = facts.version;
    }
    return name;
  };
}
