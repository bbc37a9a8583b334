import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { configCatalogues } from '../../packages/cluster/src/configs/config-catalogues.ts';
import { repositoryFiles, root } from './repository.ts';
import { codesOf, shownCommandProblems } from './shown-commands.ts';

const pages = repositoryFiles()
  .filter((path) => /^(?:[A-Z]+\.md|docs\/.*\.md)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** What users type. Decisions are of their time, and pages for contributors show flags of scripts and other tools. */
const forUsers = pages.filter(({ path }) =>
  /^(?:README\.md|SECURITY\.md|docs\/(?:start|guides|operate|reference)\/(?!flags\.|benchmarks\.).*)$/.test(
    path,
  ),
);

function textOf(path: string): string {
  return pages.find((page) => page.path === path)!.text;
}

test('every page is in the index once, in a folder for its readers', () => {
  const index = textOf('docs/README.md');
  const listed = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)]
    .map(([, target]) => target!)
    .toSorted();
  const there = pages
    .map(({ path }) => posix.relative('docs', path))
    .filter((path) => !/^(?:\.\.|README\.md$|adr\/\d)/.test(path));
  assert.deepEqual(listed, there.toSorted());
  assert.deepEqual(
    there.filter((path) => !/^(?:start|guides|operate|reference|contribute|adr)\/[\w-]+\.md$/.test(path)),
    [],
  );
});

/** The anchors of headings as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)) {
    const plain = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    for (let copy = 0; ; copy++) {
      const name = copy === 0 ? anchor : `${anchor}-${copy}`;
      if (anchors.has(name)) continue;
      anchors.add(name);
      break;
    }
  }
  return anchors;
}

function deadAnchors({ path, text }: { readonly path: string; readonly text: string }): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
    .filter(([, target, anchor]) => {
      const page = target === '' ? path : posix.join(posix.dirname(path), target!);
      const found = pages.find((other) => other.path === page);
      return found !== undefined && !anchorsOf(found.text).has(anchor!);
    })
    .map(([link]) => `${path}: ${link}`);
}

test('links to chapters lead to headings', () => {
  assert.deepEqual(pages.flatMap(deadAnchors), []);
  const planted = {
    path: 'docs/README.md',
    text: '[gone](../README.md#gone) and [tour](../README.md#start)',
  };
  assert.deepEqual(deadAnchors(planted), ['docs/README.md: ](../README.md#gone)']);
});

/** Paths below these folders that pages name in code, without patterns. Decisions name what was there at their time. */
const namedPath = /`((?:packages|tests|scripts|bench|deploy|bin)\/[\w./-]*\w)`/g;

function missingPaths({ path, text }: { readonly path: string; readonly text: string }): string[] {
  return [...text.matchAll(namedPath)]
    .filter(([, named]) => !existsSync(join(root, named!)))
    .map(([, named]) => `${path}: ${named}`);
}

test('files of the repository that pages name exist', () => {
  const current = pages.filter(({ path }) => !/^(?:CHANGELOG\.md|docs\/adr\/\d)/.test(path));
  assert.deepEqual(current.flatMap(missingPaths), []);
  const planted = { path: 'docs/a.md', text: '`scripts/docs.ts`, `scripts/gone.ts` and `scripts/*.ts`' };
  assert.deepEqual(missingPaths(planted), ['docs/a.md: scripts/gone.ts']);
});

test('commands, flags and variables on the pages exist', () => {
  const commands = forUsers
    .flatMap(({ text }) => codesOf(text))
    .filter(({ text }) => /\bweir cli /.test(text));
  assert.ok(commands.length > 60, 'the commands were found');
  assert.deepEqual(forUsers.flatMap(shownCommandProblems), []);
});

test('the rule for commands finds what it should', () => {
  // text, expected part of the problem
  const cases: [text: string, problem: string | undefined][] = [
    ['Run `weir cli list-topics`.', undefined],
    ['Run `weir cli list-topic`.', 'unknown command'],
    ['Run `weir cli describe-schema -schema-id`.', undefined],
    ['The flag `-batchTimeout` and `-batchTimout`.', '-batchTimout: unknown flag'],
    ['`SERVICE_API_URL` and `SERVICE_API_URI`', 'SERVICE_API_URI: unknown variable'],
    ['```sh\nbin/weir cli create-topic -topic a -partition 3\n```', ':2: weir cli create-topic: -partition'],
    ['```sh\nbin/weir agent \\\n  -bucketURI s3://a\n```', ':2: weir agent: -bucketURI: unknown flag'],
    ['```sh\necho a | weir cli produce -topic a -key b | cat -x\n```', undefined],
    ['```sh\nweir control-plane restore -bucketURL <bucket> -dataDir <new>\n```', undefined],
    ['```sh\nweir agent -kafkaPort seven\n```', '-kafkaPort: seven'],
    ['```sh\nweir agent -enableControlPlanePrometheusEndpoint\n```', 'not available'],
    ['```sh\nweir agent -apiKey aks_1\n```', 'former name'],
    ['```\nweir agent: -bucketURL: bucket not found\n```', undefined],
    ['```console\n$ weir agent -batchTimout 1s\nweir agent: -batchTimout: unknown flag\n```', undefined],
  ];
  for (const [text, problem] of cases) {
    const [found] = shownCommandProblems({ path: 'docs/a.md', text });
    if (problem === undefined) assert.equal(found, undefined, text);
    else assert.ok(found?.includes(problem), `${text}: ${found}`);
  }
});

/** From the reference page, which another test compares with the rows: to load these takes much longer. */
const metricNames: ReadonlySet<string> = new Set(
  [...textOf('docs/reference/metrics.md').matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \|/gm)].flatMap(
    ([, name, kind]) => {
      const full = `service_${name}`;
      return kind === 'histogram' ? [full, `${full}_bucket`, `${full}_sum`, `${full}_count`] : [full];
    },
  ),
);
/** Names that begin like metrics: kinds of buckets, features of client ids, a field of logs, a type of pipelines. */
const notMetrics = /^service_(?:(?:multi|stripe|az|interzone_lb|name|schema_linking)$|\w*_$)/;

const configNames: ReadonlySet<string> = new Set(
  Object.values(configCatalogues).flatMap(({ rows, aliases }) => [
    ...Object.keys(rows),
    ...Object.keys(aliases ?? {}),
  ]),
);

test('metrics and configs of the service that pages name exist', () => {
  const codes = forUsers.flatMap(({ path, text }) => codesOf(text).map((code) => ({ path, ...code })));
  const unknown = codes.flatMap(({ path, line, text }) => [
    ...[...text.matchAll(/(?<![\w.:/-])service_\w+(?!\w*[…*:(])/g)]
      .filter(([name]) => !metricNames.has(name) && !notMetrics.test(name))
      .map(([name]) => `${path}:${line}: ${name}: unknown metric`),
    ...[...text.matchAll(/(?<![\w./-])service\.[a-z]+(?:\.[a-z]+)+(?![\w.…])/g)]
      .filter(([name]) => !configNames.has(name))
      .map(([name]) => `${path}:${line}: ${name}: unknown config`),
  ]);
  assert.deepEqual(unknown, []);
  assert.ok(
    metricNames.has('service_agent_ready') && metricNames.has('service_journal_append_seconds_bucket'),
  );
  assert.ok(configNames.has('service.acls.enabled'));
});
