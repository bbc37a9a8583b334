import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { watchDials } from '../../testing/watched-dials.ts';
import { findCredentials } from './credentials.ts';
import { Sts } from './sts.ts';

const role = 'role_arn = arn:aws:iam::123456789012:role/r';
const keys = 'aws_access_key_id = id\naws_secret_access_key = secret';

async function credentialsOf(t: TestContext, config: string) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-profiles-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const environment = {
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_PROFILE: 'default',
  };
  writeFileSync(environment.AWS_CONFIG_FILE, config);
  writeFileSync(environment.AWS_SHARED_CREDENTIALS_FILE, '');
  const sts = new Sts({ clock: systemClock, region: 'eu-west-1', environment, subject: 's3://bucket' });
  return findCredentials({ environment, clock: systemClock, sts, usesMetadataService: false })(
    new AbortController().signal,
  );
}

const refused: [what: string, config: string, named: RegExp][] = [
  [
    'a role that the machine may take',
    `[default]\n${role}\ncredential_source = Ec2InstanceMetadata\n`,
    /profile default .* Ec2InstanceMetadata/,
  ],
  [
    'a role that the container may take',
    `[default]\n${role}\ncredential_source = EcsContainer\n`,
    /profile default .* EcsContainer/,
  ],
  [
    'a role of a profile that asks the machine',
    `[default]\n${role}\nsource_profile = base\n[profile base]\ncredential_source = Ec2InstanceMetadata\n`,
    /profile base .* Ec2InstanceMetadata/,
  ],
  [
    'a role of a role that asks the machine',
    `[default]\n${role}\nsource_profile = base\n[profile base]\n${role}\ncredential_source = Ec2InstanceMetadata\n`,
    /profile base .* Ec2InstanceMetadata/,
  ],
];
for (const [what, config, named] of refused) {
  test(`a profile with ${what} is rejected in one line, and no metadata service is called`, async (t) => {
    const dials = watchDials(t);
    await assert.rejects(credentialsOf(t, config), ({ message }: Error) => {
      assert.match(message, named);
      assert.doesNotMatch(message, /\n/);
      return true;
    });
    assert.deepEqual(dials.hosts, []);
  });
}

test('keys of a profile are used, whatever else it names', async (t) => {
  for (const config of [
    `[default]\n${keys}\n`,
    `[default]\n${keys}\ncredential_source = Ec2InstanceMetadata\n`,
  ]) {
    const dials = watchDials(t);
    assert.equal((await credentialsOf(t, config)).accessKeyId, 'id');
    assert.deepEqual(dials.hosts, []);
    t.mock.restoreAll();
  }
});
