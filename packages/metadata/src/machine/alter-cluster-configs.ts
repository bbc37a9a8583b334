import { checkClusterConfigs } from '../configs/check-configs.ts';
import { describeProblem } from '../configs/config-row.ts';
import type { ByteReader } from './bytes/byte-reader.ts';
import type { ByteWriter } from './bytes/byte-writer.ts';
import type { ClusterState } from './cluster-state.ts';

/** What changes: a text sets, `null` unsets. */
export type ConfigChanges = Readonly<Record<string, string | null>>;

/** Decides what changes; changes nothing. */
export function decideAlterClusterConfigs(
  { clusterConfigs }: ClusterState,
  asked: ConfigChanges,
):
  | { readonly changed: ConfigChanges; readonly problem?: undefined }
  | { readonly problem: string; readonly changed?: undefined } {
  const { configs, problems } = checkClusterConfigs(asked);
  if (problems.length > 0) return { problem: problems.map(describeProblem).join('; ') };
  const changed = Object.entries(configs).filter(([name, text]) => text !== (clusterConfigs[name] ?? null));
  return { changed: Object.fromEntries(changed) };
}

export function writeClusterConfigsAltered(writer: ByteWriter, changed: ConfigChanges): void {
  const pairs = Object.entries(changed);
  writer.varint(pairs.length);
  for (const [name, text] of pairs) {
    writer.text(name);
    writer.u8(text === null ? 0 : 1);
    if (text !== null) writer.text(text);
  }
}

export function applyClusterConfigsAltered(state: ClusterState, reader: ByteReader): void {
  const configs = new Map(Object.entries(state.clusterConfigs));
  for (let left = reader.varint(); left > 0; left--) {
    const name = reader.text();
    if (reader.u8() === 0) configs.delete(name);
    else configs.set(name, reader.text());
  }
  // Sorted, so that equal configs are equal bytes whatever their history.
  state.clusterConfigs = Object.fromEntries([...configs].sort(([a], [b]) => (a < b ? -1 : 1)));
}
