/** The named secrets of a cluster that its exporters may use. The control plane keeps them. */
export interface ExporterSecrets {
  /** Returns a text for each of some secrets that changes with its value, and none for those that may not be used. */
  revisions(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the values of some secrets, without those that may not be used or cannot be opened. */
  open(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
}

/** A cluster that has no secrets. */
export const noExporterSecrets: ExporterSecrets = {
  revisions: async () => new Map(),
  open: async () => ({}),
};
