import type { Client, OutputOf } from '@weir/api';
import { Failure } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

/** Rotates a password. As text only the new one goes to standard output, so that it can be assigned to a variable. */
export const rotateCredentialTool: Handler<'cli rotate-credential'> = async (values, deps) => {
  const { client, virtual_cluster_id, id, name } = await credentialOf(values, deps);
  const overlap_seconds = Math.floor(values.overlap / 1000);
  const { username, password, old_password_ends_at } = await orFailure(
    client.call('rotate_virtual_cluster_credentials', { virtual_cluster_id, id, overlap_seconds }),
  );
  const json = { id, name, username, password, old_password_ends_at };
  printResult(values, deps, { json, text: () => `${password}\n` });
  const end =
    old_password_ends_at === null
      ? 'the old password has ended'
      : `the old password is valid until ${old_password_ends_at}`;
  deps.output.err(
    `weir cli rotate-credential: rotated ${name} (${username}); ${end}; the new one is shown only once\n`,
  );
  return 0;
};

export const endRotationTool: Handler<'cli end-rotation'> = async (values, deps) => {
  const { client, virtual_cluster_id, id, name } = await credentialOf(values, deps);
  await orFailure(client.call('end_virtual_cluster_credentials_rotation', { virtual_cluster_id, id }));
  return printResult(values, deps, {
    json: { id, name },
    text: () => `the old password of ${name} has ended\n`,
  });
};

type Credential = OutputOf<'list_virtual_cluster_credentials'>['credentials'][number];

interface FoundCredential extends Credential {
  readonly client: Client;
  readonly virtual_cluster_id: string;
}

async function credentialOf(values: CommandValues<'cli end-rotation'>, deps: Deps): Promise<FoundCredential> {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await clusterId(client, values.cluster);
  const { credentials } = await orFailure(
    client.call('list_virtual_cluster_credentials', { virtual_cluster_id }),
  );
  const given = values.credential!;
  const found = credentials.find(({ id, name, username }) =>
    [id, name, username, name.replace(/^ccn_/, '')].includes(given),
  );
  if (found === undefined) {
    const known = credentials.slice(0, namesShownMax).map(({ name }) => name);
    const more = credentials.length > known.length ? ', …' : '';
    throw new Failure(
      `-credential=${given}: not found; the cluster has ${known.length === 0 ? 'no credentials' : known.join(', ') + more}`,
    );
  }
  return { ...found, client, virtual_cluster_id };
}

const namesShownMax = 10;
