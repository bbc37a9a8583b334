/** The Debian package: installed by dpkg on a system of its own, and used as the page says. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Replaced } from '../../readme/page-run.ts';
import { followPage } from './followed-page.ts';
import { imageRoot, skipImage } from './image.ts';
import { firstRecord, installChapters } from './installation-pages.ts';
import { Container, hasProgram } from './isolated-root.ts';
import { artefact, names, scratch, skip } from './made-release.ts';

const skipDebian = skip || (hasProgram('dpkg') ? false : 'dpkg is not installed');

test('the units of systemd are valid, and harden what they start', {
  skip: skipDebian || (hasProgram('systemd-analyze') ? false : 'systemd-analyze is not installed'),
}, () => {
  const folder = join(scratch, 'debian');
  execFileSync('dpkg-deb', ['--extract', artefact(names.debian), folder]);
  for (const name of ['weir-agent', 'weir-control-plane']) {
    const unit = join(folder, `usr/lib/systemd/system/${name}.service`);
    const checked = spawnSync(
      'systemd-analyze',
      ['verify', '--recursive-errors=no', `--root=${folder}`, unit],
      { encoding: 'utf8' },
    );
    assert.doesNotMatch(checked.stderr, /Unknown|Failed to parse|Invalid|not executable/i);
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', unit], {
      encoding: 'utf8',
    });
    assert.equal(rated.status, 0, `${rated.stdout}${rated.stderr}`);
  }
});

const skipSystem = skipDebian || skipImage;
const system = join(scratch, 'system');

function addProgram(path: string, text: string): void {
  writeFileSync(join(system, path), `#!/bin/sh\n${text}`);
  chmodSync(join(system, path), 0o755);
}

const dpkg = (...args: readonly string[]) =>
  execFileSync('dpkg', [`--root=${system}`, '--force-depends', '--force-not-root', ...args], {
    encoding: 'utf8',
  });

/** A machine without a program of its own that runs until the end of the test. */
function startMachine(t: TestContext): Container {
  return new Container(t, system, {
    user: '0:0',
    environment: ['PATH=/usr/bin:/bin', 'HOME=/root'],
    argv: ['sh', '-c', "trap 'exit' TERM; while :; do sleep 1; done"],
    canChangeFiles: true,
  });
}

test('dpkg installs the Debian package on a system, and makes its user', { skip: skipSystem }, () => {
  execFileSync('cp', ['-a', imageRoot, system]);
  rmSync(join(system, 'opt'), { recursive: true });
  const folders = ['info', 'updates', 'triggers'].map((name) => `var/lib/dpkg/${name}`);
  for (const folder of [...folders, 'usr/bin', 'var/log', 'var/cache', 'root', 'dev'])
    mkdirSync(join(system, folder), { recursive: true });
  writeFileSync(join(system, 'var/lib/dpkg/status'), '');
  for (const name of ['chmod', 'chown', 'grep', 'rm', 'su', 'tail'])
    symlinkSync('busybox', join(system, 'bin', name));
  // A system with users of its own making: what the package calls there is recorded.
  addProgram('bin/systemd-sysusers', 'echo "weir:x:999:999::/var/lib/weir:/bin/sh" >>/etc/passwd\n');
  execFileSync('sed', ['-i', '/^weir:/d', join(system, 'etc/passwd')]);
  const [, shown] = /^apt install \.\/(\S+)$/m.exec(installChapters('Debian package')) ?? [];
  assert.equal(shown, names.debian);
  dpkg('--install', artefact(names.debian));
  assert.match(readFileSync(join(system, 'etc/passwd'), 'utf8'), /^weir:/m);
  assert.equal(lstatSync(join(system, 'etc/weir/agent.env')).mode & 0o777, 0o600);
});

test('the commands of the page produce and fetch a record with the Debian package', {
  skip: skipSystem,
}, async (t) => {
  await followPage(startMachine(t), {
    text: installChapters('Debian package', 'A first record'),
    // It was installed by dpkg, because apt would fetch what the package depends on.
    replaced: [[`apt install ./${names.debian}\n`, '']],
    expected: firstRecord,
  });
});

/** One machine has a control plane, an agent and a bucket; its database is the one that needs no server. */
const onOneMachine: readonly Replaced[] = [
  ['s3://records?region=eu-west-1', 'file:///tmp/bucket'],
  ['control-1.internal', '127.0.0.1'],
  ['agent-1.internal', 'localhost'],
  ['https://weir.example.com', 'http://127.0.0.1:8090'],
];

test('the steps of a deployment lead to a cluster, and to a key for tools', {
  skip: skipSystem,
}, async (t) => {
  await followPage(startMachine(t), {
    text: installChapters('Deploy', 'A first record'),
    replaced: [
      ...onOneMachine,
      ['bin/weir', 'weir'],
      ["-databaseURL 'postgres://weir:secret@database/weir' ", ''],
      [',http://control-2.internal:8090', ''],
      ['-agentKeyPath', '-discoveryKafkaHostnameOverride localhost -agentKeyPath'],
      // The topic is made by the step before.
      ['weir cli create-topic -topic orders\n', 'weir cli list-topics\n'],
    ],
    filledIn: { 'vci_…': /vci_\w+/ },
    expected: [
      ['weir cli create-key -key-name tools', /aks_[0-9a-f]{64}/],
      ['"clusterId"', /^vci_\w+$/m],
      ['weir cli diagnose-connection', /brokers/],
      ['weir cli create-topic -bootstrap-host', /orders/],
      ...firstRecord.filter(([command]) => !command.includes('create-topic')),
    ],
  });
});

/** Starts what a unit names, as its user and with its settings as systemd reads them. */
const systemctl = `
[ "$1 $2" = 'enable --now' ] || exit 1
unit=/usr/lib/systemd/system/$3.service
setting() { sed -n "s/^$1=//p" "$unit"; }
settings() { cat "$(setting EnvironmentFile)"; setting Environment; }
mkdir -p /var/cache/weir
chown weir /var/cache/weir /var/lib/weir
: >"/var/log/$3.log"
settings >/tmp/settings
while read -r line; do case $line in '' | '#'*) ;; *) export "$line" ;; esac; done </tmp/settings
su "$(setting User)" -s /bin/sh -c "exec $(setting ExecStart)" >>"/var/log/$3.log" 2>&1 &
`;
const journalctl = `
[ "$1 $2" = '-f -u' ] || exit 1
exec tail -n +1 -f "/var/log/$3.log"
`;

test('the services of the Debian package become a cluster by the settings of the page', {
  skip: skipSystem,
}, async (t) => {
  addProgram('bin/systemctl', systemctl);
  addProgram('bin/journalctl', journalctl);
  const text = installChapters('systemd', 'A first record');
  for (const name of ['agent', 'control-plane']) {
    // The files of the package have the same settings as the page, as comments.
    const commented = readFileSync(join(system, `etc/weir/${name}.env`), 'utf8');
    const variables = [...commented.matchAll(/^#(SERVICE_\w+)=/gm)].map(([, variable]) => variable!);
    const shown = new RegExp(`${name}\\.env << 'END'\\n([\\s\\S]*?)END\\n`).exec(text)![1]!;
    assert.deepEqual(
      [...shown.matchAll(/^(SERVICE_\w+)=/gm)].map(([, variable]) => variable!),
      variables,
    );
  }
  await followPage(startMachine(t), {
    text,
    replaced: [
      ...onOneMachine,
      ['SERVICE_DATABASE_URL=postgres://weir:secret@database/weir\n', ''],
      [
        'SERVICE_AGENT_KEY=aks_…\n',
        'SERVICE_AGENT_KEY=aks_…\nSERVICE_DISCOVERY_KAFKA_HOSTNAME_OVERRIDE=localhost\n',
      ],
    ],
    filledIn: {
      'SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID=vci_…': /^SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID=\w+$/m,
      'SERVICE_AGENT_KEY=aks_…': /^SERVICE_AGENT_KEY=\w+$/m,
    },
    expected: [['"agentKey"', /^SERVICE_AGENT_KEY=aks_[0-9a-f]{64}$/m], ...firstRecord],
  });
});

test('dpkg removes the Debian package', { skip: skipSystem }, () => {
  dpkg('--purge', 'weir');
  assert.ok(!existsSync(join(system, 'usr/lib/weir/bin')));
});
