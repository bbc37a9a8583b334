import { call, failureOfOne } from '../../../api/client.ts';
import { counted } from '../../../format/format.ts';
import { endOfEach, runEach } from '../../../tasks/run-each.ts';
import type { TaskToStart } from '../../../tasks/task-store.ts';
import { type Rule, ruleInWords } from '../acl-rule.ts';

/** Creates rules one by one; those that were created can be deleted again, also if others failed. */
export function creationOf(rules: readonly Rule[], clusterId: string): TaskToStart {
  return taskOf('Create', 'Created', rules, {
    act: (acl) => call('virtual_clusters/acls/create', { virtual_cluster_id: clusterId, acl }),
    again: (rest) => creationOf(rest, clusterId),
    undo: (created) => deletionOf(created, clusterId),
  });
}

function deletionOf(rules: readonly Rule[], clusterId: string): TaskToStart {
  return taskOf('Delete', 'Deleted', rules, {
    act: (acl) => call('virtual_clusters/acls/delete', { virtual_cluster_id: clusterId, acls: [acl] }),
    again: (rest) => deletionOf(rest, clusterId),
    undo: (deleted) => creationOf(deleted, clusterId),
  });
}

interface RuleTask {
  act(rule: Rule): Promise<unknown>;
  again(rules: readonly Rule[]): TaskToStart;
  undo(rules: readonly Rule[]): TaskToStart;
}

function taskOf(verb: string, past: string, rules: readonly Rule[], task: RuleTask): TaskToStart {
  const byName = new Map(rules.map((rule) => [nameOf(rule), rule]));
  const rulesOf = (names: readonly string[]) => names.map((name) => byName.get(name)!);
  return {
    title: `${verb} ${rules.length === 1 ? nameOf(rules[0]!) : counted(rules.length, 'ACL')}`,
    run: async (control) => {
      const act = (name: string) => task.act(byName.get(name)!);
      const outcome = await runEach([...byName.keys()], { act, failureOf: failureOfOne }, control);
      return endOfEach(outcome, {
        verb: past,
        noun: 'ACL',
        again: (names) => task.again(rulesOf(names)),
        undo: (names) => task.undo(rulesOf(names)),
      });
    },
  };
}

/** Two rules that differ have two names. */
function nameOf(rule: Rule): string {
  return rule.pattern_type === 'PREFIXED' ? `${ruleInWords(rule)} (prefix)` : ruleInWords(rule);
}
