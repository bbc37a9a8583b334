/**
 * The Helm chart: Helm itself lints and renders it, the types of Kubernetes and of the operator of Prometheus decode
 * what comes out, and golden files show every change; `SERVICE_TEST_WRITE=1` writes them again.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { parse, parseAllDocuments } from 'yaml';
import { type Lifetime, temporaryFolder } from '../../brokers/weir-process.ts';
import { buildGoModule } from '../../go/programs.ts';
import { blocksOf } from '../../readme/blocks.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = join(import.meta.dirname, '../helm');
const chart = join(root, 'deploy/helm/weir');

const helm = buildGoModule('helm', 'helm.sh/helm/v3/cmd/helm', folder);
const decoder = buildGoModule('decode-kubernetes', '.', folder);
const skip = helm.missing || decoder.missing;

const needed = {
  clusterId: 'vci_00000000_0000_4000_8000_000000000001',
  bucketURL: 's3://records?region=eu-west-1',
};

type Values = Readonly<Record<string, string>>;

/** The oldest version of Kubernetes that the chart takes, and that of the types which decode what comes out. */
const kubeVersions = {
  oldest: /^kubeVersion: '>=([\d.]+)/m.exec(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))![1]!,
  newest: `1.${/k8s\.io\/client-go v0\.([\d.]+)/.exec(readFileSync(join(folder, 'go.mod'), 'utf8'))![1]}`,
} as const;

interface Run {
  /** The folder of a chart. */
  readonly of?: string;
  readonly release?: string;
  readonly kubeVersion?: string;
  readonly more?: readonly string[];
}

function run(
  command: 'lint' | 'template',
  values: Values,
  files: readonly string[] = [],
  { of = chart, release = 'weir', kubeVersion = kubeVersions.newest, more = [] }: Run = {},
) {
  const settings = Object.entries(values).flatMap(([name, value]) => ['--set-string', `${name}=${value}`]);
  const args =
    command === 'lint' ? ['lint', '--strict', of] : ['template', release, of, '--namespace', 'streaming'];
  return spawnSync(
    helm.program,
    [
      ...args,
      '--kube-version',
      kubeVersion,
      ...files.flatMap((file) => ['--values', file]),
      ...settings,
      ...more,
    ],
    { encoding: 'utf8', env: { PATH: systemEnvironment.PATH, HOME: import.meta.dirname } },
  );
}

const everything = join(folder, 'values.yaml');
const renderings: Readonly<Record<string, readonly [values: Values, files: readonly string[]]>> = {
  'usual.yaml': [needed, []],
  'everything.yaml': [{}, [everything]],
};

function rendered(name: keyof typeof renderings, kubeVersion: string = kubeVersions.newest): string {
  const { status, stdout, stderr } = run('template', ...renderings[name]!, { kubeVersion });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Files of the chart that templates include, which tests of their own check, and how far these indent them. */
const includedFiles = { 'monitoring/alerts.yaml': 2, 'monitoring/dashboard.json': 4 } as const;

/** A rendering in which the text of an included file is its name. */
function withoutFiles(text: string): string {
  let short = text;
  for (const [file, spaces] of Object.entries(includedFiles)) {
    const indent = ' '.repeat(spaces);
    const content = readFileSync(join(chart, file), 'utf8').trim();
    short = short.replace(content.replaceAll(/^/gm, indent), () => `${indent}# ${file}`);
  }
  return short;
}

const page = readFileSync(join(root, 'docs/operate/kubernetes.md'), 'utf8');
const blocks = blocksOf(page);

/** The block of the page that starts so, in one line per command. */
function shownBlock(start: string): string {
  const block = blocks.find(({ text }) => text.startsWith(start));
  assert.ok(block !== undefined, start);
  return block.text.replaceAll(/\\\n\s*/g, '');
}

/** The name of the release that the page installs, and its values. */
function shownInstallation(): { readonly release: string; readonly values: Values } {
  const command = shownBlock('helm install ');
  const shown = [...command.matchAll(/--set ([\w.]+)=(\S+)/g)];
  assert.ok(shown.length >= 4, command);
  const values = Object.fromEntries(shown.map(([, name, value]) => [name!, value!.replaceAll("'", '')]));
  // The page makes one up.
  return { release: command.split(' ')[2]!, values: { ...values, clusterId: needed.clusterId } };
}

test('the commands of the page render the chart, and make the secrets that it names', { skip }, () => {
  const { release, values } = shownInstallation();
  const { status, stdout, stderr } = run('template', values, [], { release });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /image: "?registry\.example\.com\/weir:/);
  const made = [
    ...shownBlock('kubectl create namespace ').matchAll(/create secret generic (\S+)(.*)/g),
  ].flatMap(([, name, rest]) =>
    [...rest!.matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => `${name} ${key}`),
  );
  const byVariable = [...stdout.matchAll(/secretKeyRef: \{ name: (\S+), key: (\S+) \}/g)];
  const [, file] = /value: \/etc\/weir\/sealing-keys\/(\S+)/.exec(stdout)!;
  const [, volume] = /secret: \{ secretName: (\S+) \}/.exec(stdout)!;
  const named = [...byVariable.map(([, name, key]) => `${name} ${key}`), `${volume} ${file}`];
  assert.deepEqual([...new Set(named)].toSorted(), made.toSorted());
});

/** What Helm prints after an installation, which `helm template` leaves out. */
function notes(lifetime: Lifetime, release: string, values: Values): string {
  const of = join(temporaryFolder(lifetime), 'weir');
  cpSync(chart, of, { recursive: true });
  const shown = '{{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}';
  writeFileSync(join(of, 'templates/shown.yaml'), `notes: ${shown}\n`);
  const more = ['--show-only', 'templates/shown.yaml'];
  const { status, stdout, stderr } = run('template', values, [], { of, release, more });
  assert.equal(status, 0, stderr);
  return parse(stdout).notes;
}

test('notes after the installation lead to the link of the first user, as the page does', { skip }, (t) => {
  const { release, values } = shownInstallation();
  const text = notes(t, release, values);
  const logs = shownBlock('kubectl -n streaming logs ').trim();
  assert.ok(text.includes(`  ${logs}\n`), text);
  const [, selector] = / -l (\S+) /.exec(logs)!;
  const made = parseAllDocuments(run('template', values, [], { release }).stdout).map((document) =>
    document.toJS(),
  );
  const { labels } = made.find(({ kind }) => kind === 'StatefulSet').spec.template.metadata;
  for (const label of selector!.split(',')) {
    const [name, value] = label.split('=');
    assert.equal(labels[name!], value);
  }
  const forward = shownBlock('kubectl -n streaming port-forward ').trim();
  assert.ok(text.includes(`  ${forward}\n`), text);
  for (const [, type, name] of page.matchAll(/\b(statefulset|service)\/([\w-]+)/g)) {
    const isIt = ({ kind, metadata }: (typeof made)[number]) =>
      kind.toLowerCase() === type && metadata.name === name;
    assert.ok(made.some(isIt), `${type}/${name}`);
  }
  const withUrl = notes(t, release, { ...values, 'controlPlane.publicURL': 'https://weir.example.com' });
  assert.ok(withUrl.includes(logs) && !withUrl.includes('port-forward'), withUrl);
});

test('alert rules and the dashboard are in the chart as they are', { skip }, () => {
  const text = withoutFiles(rendered('everything.yaml'));
  for (const file of Object.keys(includedFiles)) assert.ok(text.includes(`# ${file}`), file);
});

for (const name of Object.keys(renderings)) {
  test(`${name}: Helm has no complaint, in the oldest and the newest Kubernetes`, { skip }, () => {
    for (const kubeVersion of Object.values(kubeVersions)) {
      // It knows which types a version no longer has.
      const { status, stdout, stderr } = run('lint', ...renderings[name]!, { kubeVersion });
      assert.equal(status, 0, `${kubeVersion}: ${stdout}${stderr}`);
      assert.equal(rendered(name, kubeVersion), rendered(name), kubeVersion);
    }
  });

  test(`${name} is what it was`, { skip }, () => {
    const path = join(folder, 'golden', name);
    const text = withoutFiles(rendered(name));
    if (systemEnvironment.SERVICE_TEST_WRITE === '1') writeFileSync(path, text);
    assert.equal(text, readFileSync(path, 'utf8'));
  });

  test(`${name}: Kubernetes and the operator of Prometheus know every field`, { skip }, () => {
    const text = rendered(name);
    const { status, stdout, stderr } = spawnSync(decoder.program, { input: text, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const kinds = [...text.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind!);
    assert.ok(kinds.length >= 10);
    assert.deepEqual(stdout.trim().split('\n').toSorted(), kinds.toSorted());
  });

  test(`${name}: every variable is one of its command`, { skip }, () => {
    const flags = readFileSync(join(root, 'docs/reference/flags.md'), 'utf8').split('\n');
    for (const [kind, command] of [
      ['StatefulSet', 'control-plane'],
      ['Deployment', 'agent'],
    ] as const) {
      const document = rendered(name)
        .split(/^---$/m)
        .find((text) => text.includes(`kind: ${kind}\n`))!;
      const variables = [...document.matchAll(/- name: (SERVICE_\w+)/g)].map(([, variable]) => variable!);
      assert.ok(variables.length >= 5);
      assert.deepEqual([...new Set(variables)], variables, 'each once');
      for (const variable of variables) {
        const row = flags.find((line) => line.includes(`\`${variable}\``));
        assert.ok(row !== undefined, variable);
        assert.match(
          row.split('|').at(-3)!,
          new RegExp(`(?:^|[ ,])${command}(?:,|$| )`),
          `${variable} of ${command}`,
        );
      }
    }
  });
}

test('a field that Kubernetes or the operator of Prometheus does not have is found', { skip }, () => {
  const text = rendered('everything.yaml');
  for (const [field, planted, path] of [
    [
      'terminationGracePeriodSeconds',
      'terminationGraceSeconds',
      'spec.template.spec.terminationGraceSeconds',
    ],
    ['podMetricsEndpoints', 'endpoints', 'spec.endpoints'],
    ['expr', 'expression', 'spec.groups[0].rules[0].expression'],
  ] as const) {
    const input = text.replaceAll(new RegExp(`\\b${field}:`, 'g'), `${planted}:`);
    const { status, stderr } = spawnSync(decoder.program, { input, encoding: 'utf8' });
    assert.equal(status, 1, field);
    assert.ok(stderr.includes(`unknown field "${path}"`), stderr);
  }
});

test('a Kubernetes that is older than the chart allows is refused', { skip }, () => {
  const [major, minor] = kubeVersions.oldest.split('.').map(Number);
  const { status, stderr } = run('template', needed, [], { kubeVersion: `${major}.${minor! - 1}.0` });
  assert.notEqual(status, 0);
  assert.match(stderr, /chart requires kubeVersion/);
});

test('values that cannot work are refused by name', { skip }, () => {
  const cases: readonly [Values, RegExp][] = [
    [{}, /\/clusterId|clusterId/],
    [{ ...needed, clusterId: 'orders' }, /clusterId.*does not match/s],
    [{ ...needed, bucketURL: 'file:///data' }, /bucketURL.*does not match/s],
    [{ ...needed, 'secrets.agentKey.name': '' }, /agentKey.*minLength/s],
    // A key as a plain value would be readable with the right to read deployments.
    [{ ...needed, 'agents.settings.SERVICE_AGENT_KEY': 'aka_1' }, /invalid propertyName 'SERVICE_AGENT_KEY'/],
    [{ ...needed, 'secrets.agentKey.value': 'aka_1' }, /additional properties 'value' not allowed/],
    // A typo would change nothing.
    [{ ...needed, 'agent.replicas': '5' }, /additional properties 'agent' not allowed/],
    [{ ...needed, 'agents.service.type': 'ClusterIp' }, /agents\/service\/type.*must be one of/s],
  ];
  for (const [values, message] of cases) {
    const { status, stderr } = run('template', values);
    assert.notEqual(status, 0, JSON.stringify(values));
    assert.match(stderr, message);
  }
});

/** Objects of values.yaml whose keys are names that users choose, or an object of Kubernetes. */
const ownKeys = /\.(?:settings|\w*[aA]nnotations|nodeSelector|\w*[lL]abels|requests|limits)$/;

function objectsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const inner = Object.entries(value).flatMap(([name, member]) => objectsIn(member, `${path}.${name}`));
  return ownKeys.test(path) ? inner : [path, ...inner];
}

test('a value that there is not is refused everywhere, and a global one is of other charts', { skip }, () => {
  const paths = objectsIn(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')));
  assert.ok(paths.length >= 18, paths.join());
  const planted = Object.fromEntries(paths.map((path) => [`${path}.unknown`.slice(1), 'x']));
  const { status, stderr } = run('template', { ...needed, ...planted });
  assert.notEqual(status, 0);
  const refused = [...stderr.matchAll(/at '([^']*)': additional properties 'unknown' not allowed/g)];
  assert.deepEqual(
    [...new Set(refused.map(([, path]) => path!.replaceAll('/', '.')))].toSorted(),
    paths.toSorted(),
  );
  assert.equal(run('template', { ...needed, 'global.imageRegistry': 'registry.example.com' }).status, 0);
});

test('agents with TLS are reached where they listen, in all spellings', { skip }, () => {
  const encrypted = (value: string) => ({
    ...needed,
    'agents.settings.SERVICE_INTERNAL_TLS': value,
    'agents.settings.SERVICE_HTTP_TLS': value,
    'agents.settings.SERVICE_INTERNAL_TLS_PORT': '9443',
  });
  for (const [value, isOn] of [
    ['true', true],
    ['T', true],
    ['1', true],
    ['false', false],
  ] as const) {
    const { stdout } = run('template', encrypted(value));
    assert.equal(stdout.match(/port: http, scheme: HTTPS/g)?.length ?? 0, isOn ? 3 : 0, value);
    assert.equal(stdout.includes('{ name: internal-tls, containerPort: 9443 }'), isOn, value);
    assert.equal(stdout.includes('{ port: internal-tls }'), isOn, value);
  }
});

test('agents have longer to stop than they take, and know every control plane', { skip }, () => {
  const text = rendered('everything.yaml');
  assert.match(text, /SERVICE_GRACEFUL_SHUTDOWN_DURATION\n\s+value: 120s/);
  assert.match(text, /terminationGracePeriodSeconds: 150/);
  const peer = (index: number) =>
    `http://weir-control-plane-${index}.weir-control-plane-peers.streaming.svc:8090`;
  assert.ok(text.includes(`value: ${[0, 1, 2].map(peer).join(',')}\n`));
});
