/** Releases that require changes by operators. Numbers are those of `v<N>`. */
interface BreakingChange {
  readonly release: number;
  readonly what: string;
}

export const breakingChanges: readonly BreakingChange[] = [
  { release: 679, what: 'Names of pushed metrics have a dot after their prefix.' },
  { release: 683, what: 'Fetch requests take a new path.' },
  { release: 699, what: 'Partitions are assigned to agents by another default strategy.' },
  { release: 709, what: 'Distribution metrics per topic are off unless they are asked for.' },
  { release: 741, what: 'The flag -consoleURL is called -apiURL.' },
  { release: 758, what: 'Unsigned integers of Protobuf become decimals in tables.' },
  { release: 780, what: 'Agents of data lake clusters need a bucket URL.' },
  { release: 781, what: 'Reading the metadata of buckets has to be permitted in one of the clouds.' },
  { release: 785, what: 'The flag -consoleURL is called -apiURL.' },
  { release: 802, what: 'Catalogs need further roles.' },
  { release: 821, what: 'The command cli is what cli-beta was; the former one is cli-old.' },
];
