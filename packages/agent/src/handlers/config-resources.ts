/** The resources that have configs, by the numbers that all requests about configs have for them. */
export const configResourceType = {
  topic: 2,
  broker: 4,
  brokerLogger: 8,
  clientMetrics: 16,
  group: 32,
} as const;

/** What is wrong with the name of a broker; all agents have the same configs, so that any may be asked about any. */
export function brokerNameProblem(name: string): string | undefined {
  if (name === '' || (/^\d{1,10}$/.test(name) && Number(name) < 2 ** 31)) return undefined;
  return `a broker is named by its id, or by nothing for all of them, not ${JSON.stringify(name)}`;
}

export function unknownType(type: number): string {
  return `there are no configs of resources of type ${type}`;
}
