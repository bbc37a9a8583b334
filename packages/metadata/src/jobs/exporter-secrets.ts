import type { SettingToSeal } from '@weir/cluster';

/** A sealed secret in a setting of an exporter. */
export interface SealedSetting {
  readonly setting: string;
  readonly sealed: string;
}

/** The secrets of exporters of a cluster: named ones, which the control plane keeps, and those in their configs. */
export interface ExporterSecrets {
  /** Returns a text for each of some secrets that changes with its value, and none for those that may not be used. */
  revisions(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the values of some secrets, without those that may not be used or cannot be opened. */
  open(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Seals secrets in the config of an exporter, in their order; `undefined` without sealing keys. */
  seal(exporter: string, settings: readonly SettingToSeal[]): Promise<readonly string[] | undefined>;
  /** Returns the values of sealed secrets by their sealed texts, without those that cannot be opened. */
  openSealed(exporter: string, settings: readonly SealedSetting[]): Promise<Readonly<Record<string, string>>>;
}

/** A cluster that has no secrets. */
export const noExporterSecrets: ExporterSecrets = {
  revisions: async () => new Map(),
  open: async () => ({}),
  seal: async () => undefined,
  openSealed: async () => ({}),
};
