import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { before, test } from 'node:test';
import { lastFirst, startLocal } from '../../brokers/weir-process.ts';
import { missingChromium } from '../../console/chromium.ts';
import { accessibilityProblems, launchBrowser, wcagRules } from '../../console/stage.ts';

const root = join(import.meta.dirname, '../../../..');
const site = join(root, 'site');

before(() => execFileSync(process.execPath, [join(root, 'scripts/docs-site.ts')], { stdio: 'inherit' }));

const filesOf = () =>
  readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(site.length + 1));
const textOf = (path: string) => readFileSync(join(site, path), 'utf8');

test('links and anchors lead somewhere, and nothing comes from elsewhere', () => {
  const files = new Set(filesOf());
  const html = [...files].filter((path) => path.endsWith('.html'));
  assert.ok(html.length > 150, `${html.length} pages`);
  const pages = new Map(html.map((path) => [path, textOf(path)]));
  const ids = new Map(
    [...pages].map(([path, text]) => [
      path,
      new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
    ]),
  );
  /** The file of a path below /docs/, as the control plane finds it. */
  const fileOf = (path: string) =>
    [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].find((name) => files.has(name));
  const problems: string[] = [];
  let links = 0;
  for (const [path, text] of pages) {
    for (const [, tag, attribute, value] of text.matchAll(/<(\w+)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
      const target = value!.replaceAll('&amp;', '&');
      const what = `${path}: <${tag} ${attribute}="${target}">`;
      if (/^(?:[a-z]+:|\/\/)/.test(target)) {
        if (tag !== 'a' && !target.startsWith('data:')) problems.push(`${what}: from elsewhere`);
        continue;
      }
      links += 1;
      const [file = '', anchor] = target.split('#', 2);
      const absolute = posix.join('/docs', posix.dirname(path), file);
      const there =
        file === '' ? path : file.startsWith('/') ? file : absolute + (file.endsWith('/') ? '/' : '');
      const normal = file === '' ? path : posix.normalize(there);
      if (file !== '' && !normal.startsWith('/docs/')) {
        problems.push(`${what}: outside of the site`);
        continue;
      }
      const found = file === '' ? path : fileOf(normal.slice('/docs/'.length));
      if (found === undefined) problems.push(`${what}: no such file`);
      else if (anchor !== undefined && anchor !== '' && !ids.get(found)?.has(decodeURIComponent(anchor)))
        problems.push(`${what}: no such anchor`);
    }
    if (/<script(?![^>]*\ssrc=)[^>]*>/.test(text)) problems.push(`${path}: a script within the page`);
    if (/\son\w+="/.test(text.replaceAll(/<code[\s\S]*?<\/code>/g, '')))
      problems.push(`${path}: a handler within the page`);
  }
  for (const path of [...files].filter((name) => name.endsWith('.css')))
    for (const [, url] of textOf(path).matchAll(/url\(["']?([^)"']+)/g))
      if (!/^(?:data:|#|\/docs\/)/.test(url!)) problems.push(`${path}: ${url}`);
  assert.deepEqual(problems, []);
  assert.ok(links > 5_000, `${links} links`);
});

test('no page is wider than a phone or than a narrow window', { skip: missingChromium() }, async (t) => {
  const lifetime = lastFirst(t);
  const local = await startLocal(lifetime);
  const url = local.address('control plane');
  const browser = await launchBrowser(lifetime);
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const tooWide: string[] = [];
  for (const path of filesOf().filter((name) => name.endsWith('.html'))) {
    await page.goto(`${url}/docs/${path.replace(/(?:(?<=^|\/)index)?\.html$/, '')}`);
    for (const width of [390, 800]) {
      await page.setViewportSize({ width, height: 844 });
      const { scrolls, title } = await page.locator('html').evaluate((html) => ({
        scrolls: html.scrollWidth - html.clientWidth,
        title: html.ownerDocument.title,
      }));
      assert.notEqual(title, '', path);
      if (scrolls !== 0) tooWide.push(`${path} at ${width}: by ${scrolls}`);
    }
  }
  assert.deepEqual(tooWide, []);
});

test('pages in a browser: both themes, a phone, search, nothing from elsewhere', {
  skip: missingChromium(),
}, async (t) => {
  const lifetime = lastFirst(t);
  const local = await startLocal(lifetime);
  const url = local.address('control plane');
  const browser = await launchBrowser(lifetime);
  const complaints: string[] = [];
  const paths = [
    '/docs',
    '/docs/start/install',
    '/docs/start/concepts',
    '/docs/reference/flags',
    '/docs/reference/api',
    '/docs/guides/testing',
    '/docs/reference/comparisons',
    '/docs/operate/upgrade',
    '/docs/adr/',
    '/docs/architecture',
  ];
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const context = await browser.newContext({
        colorScheme: scheme,
        // Colours on their way from one theme to the other would count as those of the page.
        reducedMotion: 'reduce',
        viewport: { width, height: 800 },
      });
      const page = await context.newPage();
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()))
          complaints.push(`${page.url()}: ${message.text()}`);
      });
      page.on('pageerror', ({ message }) => complaints.push(`${page.url()}: ${message}`));
      page.on('request', (request) => {
        if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
          complaints.push(`${page.url()} asks for ${request.url()}`);
      });
      for (const path of paths) {
        const answer = await page.goto(url + path, { waitUntil: 'networkidle' });
        assert.equal(answer?.status(), 200, path);
        assert.equal(
          await page.locator('html').evaluate((html) => html.classList.contains('dark')),
          scheme === 'dark',
        );
        assert.deepEqual(await accessibilityProblems(page, wcagRules), [], `${path} at ${width}, ${scheme}`);
      }
      await page.keyboard.press('Control+k');
      await page.locator('.VPLocalSearchBox input').fill('rack awareness zone');
      await page.locator('.VPLocalSearchBox .result').first().waitFor({ timeout: 60_000 });
      await page.locator('.VPLocalSearchBox .result').first().click();
      await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' });
      assert.ok(new URL(page.url()).pathname.startsWith('/docs/'), page.url());
      await context.close();
    }
  }
  const page = await browser.newPage();
  const missing = await page.goto(`${url}/docs/nothing`);
  assert.equal(missing?.status(), 404);
  await page.getByText('404').first().waitFor();
  assert.deepEqual(complaints, []);
});
