import { alertsContract } from './accounts-contract/alerts.ts';
import { auditContract } from './accounts-contract/audit.ts';
import { bordersContract } from './accounts-contract/borders.ts';
import { clustersContract } from './accounts-contract/clusters.ts';
import { keysContract } from './accounts-contract/keys.ts';
import { peopleContract } from './accounts-contract/people.ts';
import { pipelinesContract } from './accounts-contract/pipelines.ts';
import { schemaContract } from './accounts-contract/schema.ts';
import { secretsContract } from './accounts-contract/secrets.ts';
import { sessionsContract } from './accounts-contract/sessions.ts';
import { setupContract } from './accounts-contract/setup.ts';
import { stageOf } from './accounts-contract/stage.ts';
import { tablesContract } from './accounts-contract/tables.ts';
import { tidyingContract } from './accounts-contract/tidying.ts';
import { workspacesContract } from './accounts-contract/workspaces.ts';

/** The contract of accounts over any database. `fresh` gives the URL of an empty one each time. */
export function accountsContract(driver: string, fresh: () => Promise<string> | string): void {
  const stage = stageOf(driver, fresh);
  schemaContract(stage);
  setupContract(stage);
  peopleContract(stage);
  workspacesContract(stage);
  sessionsContract(stage);
  keysContract(stage);
  clustersContract(stage);
  pipelinesContract(stage);
  tablesContract(stage);
  secretsContract(stage);
  alertsContract(stage);
  bordersContract(stage);
  auditContract(stage);
  tidyingContract(stage);
}
