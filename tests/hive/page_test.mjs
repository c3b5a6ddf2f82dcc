// Drives the hive's page in Chromium: page_test.mjs CONFIG (page.py writes it). Ends with 1 and says what is wrong if
// something is not as it should be.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

// From where the test is started: the packages are not beside it.
const { chromium } = createRequire(join(process.cwd(), 'package.json'))('playwright-core');
const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const browser = await chromium.launch({ executablePath: config.browser, args: ['--no-sandbox'] });
const complaints = [];

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(config.url) && !url.startsWith('data:')) complaints.push(`it asks ${url}`);
  });
  await page.goto(config.url);
  return page;
}

async function enter(options = {}, token = config.developer) {
  const page = await open(options);
  await page.getByLabel("a developer's token").fill(token);
  await page.getByRole('button', { name: 'enter' }).click();
  return page;
}

const shoot = async (page, name) => {
  if (config.screenshots) await page.screenshot({ path: join(config.screenshots, `${name}.png`) });
};

// The program, once at each site.
const run = () =>
  Promise.all(
    config.environments.map((environment) =>
      promisify(execFile)(config.program, [], { env: { ...process.env, ...environment } }),
    ),
  );

const kInTime = 60_000;

const tests = {
  async 'who has no token, or another role, sees nothing'() {
    for (const token of ['norn_developer_0123', config.site]) {
      const page = await enter({}, token);
      await page.getByRole('alert').waitFor();
      assert.equal(await page.locator('table').count(), 0);
      assert.equal(await page.evaluate(() => sessionStorage.length), 0);
      // The browser itself says that it was refused.
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !/40[13]/.test(text)));
    }
  },

  async 'programs and versions'() {
    const page = await enter();
    await page.locator('tr.variable', { hasText: 'bank' }).waitFor();
    const rows = await page.locator('.row').allTextContents();
    assert.ok(rows.some((row) => row.includes('1.4')), rows.join());
    assert.ok((await page.locator('h1').textContent()).includes('1 program'));
  },

  // The one that this is for: nothing is reloaded.
  async 'a candidate goes from unknown to true race before one’s eyes'() {
    const page = await enter();
    // The version that runs; both were submitted within a second, so neither is the newer one.
    await page.locator('.row', { hasText: '1.4' }).locator('a').first().click();
    await page.getByRole('searchbox').fill('savings.balance');
    const row = page.locator('.row', { hasText: 'write' }).first();
    await row.waitFor();
    const link = await row.getAttribute('data-link');
    const watched = page.locator(`[data-link="${link}"] .verdict`);
    await page.getByRole('searchbox').fill('');
    assert.equal(await watched.textContent(), 'unknown');
    const other = await enter();
    await other.evaluate((to) => { location.hash = to; }, link);
    await other.locator('.verdict.unknown').waitFor();
    let done = false;
    const runs = (async () => {
      for (let i = 0; i < 60 && !done; ++i) await run();
    })();
    // Which of the candidates is decided first is the hive's to say.
    await page.locator('.verdict.true-race').first().waitFor({ timeout: kInTime });
    await watched.and(page.locator('.true-race')).waitFor({ timeout: kInTime });
    await other.locator('.verdict.true-race').waitFor({ timeout: kInTime });
    done = true;
    await runs;
    await shoot(page, 'hive-version');
    await other.locator('.history li', { hasText: 'race' }).first().waitFor();
    assert.ok(await other.locator('.evidence td', { hasText: 'race' }).count());
    const cards = other.locator('.access');
    assert.equal(await cards.count(), 2);
    for (const i of [0, 1]) {
      assert.equal(await cards.nth(i).locator('.source .hit').count(), 1);
      assert.ok((await cards.nth(i).locator('.stack li').count()) >= 1);
    }
    assert.ok((await other.locator('[data-test=said]').textContent()).includes('site'));
    await shoot(other, 'hive-candidate');
  },

  async 'sites and load'() {
    const page = await enter();
    await page.keyboard.press('s');
    await page.locator('td', { hasText: 'desk-1' }).waitFor();
    const text = await page.locator('table').textContent();
    assert.ok(text.includes('desk-2'), text);
    assert.ok((await page.locator('.facts').textContent()).includes('%'));
  },

  async 'keys alone'() {
    const page = await enter();
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('j');
    assert.equal(await page.locator('.row.selected').count(), 1);
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox').waitFor();
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('savings');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'savings');
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.finding').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('?');
    assert.ok(await page.getByRole('dialog').isVisible());
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },

  async 'dark, and on a phone'() {
    const light = await enter();
    const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const page = await enter({ colorScheme: 'dark', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    assert.notEqual(await paper(page), await paper(light));
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await page.locator('.row a').first().waitFor();
    assert.ok((await width()) <= 390, `programs: ${await width()} wide`);
    await page.locator('.row a').first().tap();
    await page.getByRole('searchbox').waitFor();
    await page.locator('.row a').first().waitFor();
    assert.ok((await width()) <= 390, `candidates: ${await width()} wide`);
    await shoot(page, 'hive-phone');
    await page.locator('.row a').first().tap();
    await page.locator('.finding').waitFor();
    assert.ok((await width()) <= 390, `a candidate: ${await width()} wide`);
    await page.evaluate(() => { location.hash = '#/sites'; });
    await page.locator('td', { hasText: 'desk-1' }).waitFor();
    assert.ok((await width()) <= 390, `sites: ${await width()} wide`);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    assert.deepEqual(complaints, []);
    console.log(`passed  ${name}`);
  } catch (error) {
    ++failed;
    complaints.length = 0;
    console.log(`FAILED  ${name}\n${error.stack ?? error}`);
  }
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
