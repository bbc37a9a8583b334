/**
 * The Helm chart: Helm itself lints and renders it, Kubernetes' own types decode what comes out, and golden files show
 * every change; `SERVICE_TEST_WRITE=1` writes them again.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { parse } from 'yaml';
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

function run(command: 'lint' | 'template', values: Values, files: readonly string[] = []) {
  const settings = Object.entries(values).flatMap(([name, value]) => ['--set-string', `${name}=${value}`]);
  const args =
    command === 'lint'
      ? ['lint', '--strict', chart]
      : ['template', 'weir', chart, '--namespace', 'streaming'];
  return spawnSync(
    helm.program,
    [...args, '--kube-version', '1.31.0', ...files.flatMap((file) => ['--values', file]), ...settings],
    { encoding: 'utf8', env: { PATH: systemEnvironment.PATH, HOME: import.meta.dirname } },
  );
}

const everything = join(folder, 'values.yaml');
const renderings: Readonly<Record<string, readonly [values: Values, files: readonly string[]]>> = {
  'usual.yaml': [needed, []],
  'everything.yaml': [{}, [everything]],
};

function rendered(name: keyof typeof renderings): string {
  const { status, stdout, stderr } = run('template', ...renderings[name]!);
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

test('the command of the page renders the chart, with no value that it does not know', { skip }, () => {
  const page = readFileSync(join(root, 'docs/operate/kubernetes.md'), 'utf8');
  const command = blocksOf(page).find(({ text }) => text.startsWith('helm install '))!.text;
  const shown = [...command.matchAll(/--set ([\w.]+)=(\S+)/g)];
  assert.ok(shown.length >= 4, command);
  const unknown = shown.filter(([, name]) => valueAt(name!) === undefined).map(([, name]) => name);
  assert.deepEqual(unknown, []);
  const values = Object.fromEntries(shown.map(([, name, value]) => [name!, value!.replaceAll("'", '')]));
  // The page makes one up.
  const { status, stdout, stderr } = run('template', { ...values, clusterId: needed.clusterId });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /image: "?registry\.example\.com\/streaming/);
});

/** What values.yaml has under a name with dots. */
function valueAt(name: string): unknown {
  const all: unknown = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  return name
    .split('.')
    .reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], all);
}

test('alert rules and the dashboard are in the chart as they are', { skip }, () => {
  const text = withoutFiles(rendered('everything.yaml'));
  for (const file of Object.keys(includedFiles)) assert.ok(text.includes(`# ${file}`), file);
});

for (const name of Object.keys(renderings)) {
  test(`${name}: Helm finds nothing to complain about`, { skip }, () => {
    const { status, stdout, stderr } = run('lint', ...renderings[name]!);
    assert.equal(status, 0, `${stdout}${stderr}`);
  });

  test(`${name} is what it was`, { skip }, () => {
    const path = join(folder, 'golden', name);
    const text = withoutFiles(rendered(name));
    if (systemEnvironment.SERVICE_TEST_WRITE === '1') writeFileSync(path, text);
    assert.equal(text, readFileSync(path, 'utf8'));
  });

  test(`${name}: Kubernetes knows every field`, { skip }, () => {
    // Of the operator of Prometheus, which has types of its own.
    const documents = rendered(name)
      .split(/^---$/m)
      .filter((text) => !/^kind: (?:PodMonitor|PrometheusRule)$/m.test(text));
    const { status, stdout, stderr } = spawnSync(decoder.program, {
      input: documents.join('---'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    for (const kind of [
      'Deployment',
      'StatefulSet',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'ServiceAccount',
    ])
      assert.match(stdout, new RegExp(`^${kind}$`, 'm'));
  });

  test(`${name}: every variable is one of its command`, { skip }, () => {
    const page = readFileSync(join(root, 'docs/reference/flags.md'), 'utf8').split('\n');
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
        const row = page.find((line) => line.includes(`\`${variable}\``));
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

test('a type that Kubernetes does not have is found', { skip }, () => {
  const text = rendered('usual.yaml').replace('terminationGracePeriodSeconds', 'terminationGraceSeconds');
  const { status, stderr } = spawnSync(decoder.program, { input: text, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /unknown field "spec\.template\.spec\.terminationGraceSeconds"/);
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
  ];
  for (const [values, message] of cases) {
    const { status, stderr } = run('template', values);
    assert.notEqual(status, 0, JSON.stringify(values));
    assert.match(stderr, message);
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
