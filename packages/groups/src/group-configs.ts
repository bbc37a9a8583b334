import type { ConfigTexts } from '@weir/cluster';
import type { ClusterMachine } from '@weir/machine';

/** The rules that follow from the present configs of the cluster. */
interface Computed<Rules> {
  readonly cluster: ConfigTexts;
  /** Of groups without configs of their own. */
  readonly usual: Rules;
  /** By the stored configs of a group. */
  readonly byOwn: WeakMap<Buffer, Rules>;
}

/** The configured rules of one type of groups, computed once per change of the configs. */
export class GroupConfigs<Rules> {
  readonly #machine: Pick<ClusterMachine, 'clusterConfigs' | 'kv'>;
  readonly #rulesOf: (own: ConfigTexts, cluster: ConfigTexts) => Rules;
  #computed: Computed<Rules> | undefined;

  constructor(
    machine: Pick<ClusterMachine, 'clusterConfigs' | 'kv'>,
    rulesOf: (own: ConfigTexts, cluster: ConfigTexts) => Rules,
  ) {
    this.#machine = machine;
    this.#rulesOf = rulesOf;
  }

  /** The rules of groups without configs of their own. */
  usualRules(): Rules {
    return this.#current().usual;
  }

  rules(groupId: string): Rules {
    const { cluster, usual, byOwn } = this.#current();
    const own = this.#machine.kv.get('groupConfigs', groupId);
    if (own === undefined) return usual;
    const known = byOwn.get(own);
    if (known !== undefined) return known;
    const rules = this.#rulesOf(JSON.parse(own.toString()), cluster);
    byOwn.set(own, rules);
    return rules;
  }

  #current(): Computed<Rules> {
    const cluster = this.#machine.clusterConfigs();
    if (this.#computed?.cluster !== cluster) {
      this.#computed = { cluster, usual: this.#rulesOf({}, cluster), byOwn: new WeakMap() };
    }
    return this.#computed;
  }
}
