/** Answers and bodies have different names for the level. */
export function configBody({
  compatibilityLevel,
  ...config
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return compatibilityLevel === undefined ? config : { ...config, compatibility: compatibilityLevel };
}

/** Whether two registries have the same config of a scope; neither counts as equal. */
export function isEqualConfig(one: object | undefined, other: object | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const sorted = (config: object) =>
    JSON.stringify(
      Object.entries(config)
        .filter(([, value]) => value !== undefined && value !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return sorted(one) === sorted(other);
}
