/** The API page of the real platform in a real browser. */
import AxeBuilder from "@axe-core/playwright";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { openBrowser, type TestBrowser } from "../../support/browser.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

interface ApiDocument {
	readonly tags: readonly { name: string }[];
	readonly paths: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
	readonly tags: readonly string[];
	readonly requestBody?: { readonly content: Record<string, { readonly example?: object }> };
}

describe("the API page /docs", function () {
	this.timeout(60_000);
	let platform: TestPlatform;
	let opened: TestBrowser;
	let page: Page;
	const elsewhere: string[] = [];
	const complaints: string[] = [];

	before(async () => {
		[platform, opened] = await Promise.all([startPlatform(), openBrowser()]);
		page = await (await opened.browser.newContext()).newPage();
		page.on("request", (request) => {
			if (!request.url().startsWith(platform.url) && !request.url().startsWith("data:")) elsewhere.push(request.url());
		});
		page.on("console", (message) => {
			if (message.type() === "error") complaints.push(message.text());
		});
		page.on("pageerror", (error) => complaints.push(error.message));
		await page.goto(`${platform.url}/docs`);
		await page.waitForSelector(".opblock-tag");
	});

	after(async () => {
		await opened?.[Symbol.asyncDispose]();
		await platform?.[Symbol.asyncDispose]();
	});

	async function operations(): Promise<number> {
		const document = (await (await fetch(`${platform.url}/openapi.json`)).json()) as {
			paths: Record<string, Record<string, unknown>>;
		};
		return Object.values(document.paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
	}

	it("shows every operation of the document, area by area", async () => {
		let shown = 0;
		// The viewer draws no more than a window of a long list, so one area is open at a time.
		for (const area of await page.locator(".opblock-tag").all()) {
			await area.click();
			await page.locator(".opblock").first().waitFor();
			shown += await page.locator(".opblock").count();
			await area.click();
			await page.locator(".opblock").first().waitFor({ state: "detached" });
		}
		expect(shown).to.equal(await operations());
	});

	it("creates a session that exists afterwards", async () => {
		await page.locator('.opblock-tag[data-tag="sessions"]').click();
		const operation = page.locator(".opblock", { hasText: "Create a session and start it" });
		await operation.locator(".opblock-summary-control").click();
		expect(await operation.locator(".opblock-description").innerText()).to.match(
			/^The answer comes at once .* may call it/s,
		);
		const answered = page.waitForResponse((response) => response.request().method() === "POST");
		await operation.getByRole("button", { name: "Execute" }).click();
		expect((await answered).status()).to.equal(201);
		expect(await operation.locator('tr.response[data-code="503"]').isVisible()).to.equal(true);
		expect(await operation.locator('tr.response[data-code="503"] .model-example').isVisible()).to.equal(false);
		await operation.locator(".live-responses-table .response-col_status", { hasText: "201" }).waitFor();
		const sessions = (await (await fetch(`${platform.url}/api/v1/svc/sessions`)).json()) as {
			id: string;
			name: string;
		}[];
		expect(sessions.map(({ name }) => name)).to.include("first-session");
		for (const { id } of sessions) await fetch(`${platform.url}/api/v1/svc/sessions/${id}`, { method: "DELETE" });
	});

	it("shows the first events of the stream, whose answer does not end", async () => {
		await page.goto(`${platform.url}/docs`);
		await page.locator('.opblock-tag[data-tag="stream"]').click();
		const operation = page.locator(".opblock", { hasText: "Server-sent events of everything" });
		await operation.locator(".opblock-summary-control").click();
		const begun = page.waitForResponse((response) => response.url().endsWith("/sessions/stream"));
		await operation.getByRole("button", { name: "Execute" }).click();
		await begun;
		const headers = { "Content-Type": "application/json" };
		const body = JSON.stringify({ name: "streamed", source: { type: "git", repo: "" } });
		const made = await fetch(`${platform.url}/api/v1/svc/sessions`, { method: "POST", headers, body });
		const { id } = (await made.json()) as { id: string };
		const answer = operation.locator(".live-responses-table .response", { hasText: "200" });
		await answer.waitFor({ timeout: 30_000 });
		expect(await answer.innerText())
			.to.include("event: session_created")
			.and.to.include(id);
		await fetch(`${platform.url}/api/v1/svc/sessions/${id}`, { method: "DELETE" });
	});

	it("has examples that succeed, one after the other in the order of the page", async () => {
		const document = (await (await fetch(`${platform.url}/openapi.json`)).json()) as ApiDocument;
		const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
			Object.entries(methods).flatMap(([method, { tags, requestBody }]) => {
				const example = requestBody?.content["application/json"]?.example;
				return example && !path.includes("{")
					? [{ method: method.toUpperCase(), path, tag: tags[0] ?? "", example }]
					: [];
			}),
		);
		const order = document.tags.map(({ name }) => name);
		const refused: string[] = [];
		for (const { method, path, example } of bodies.toSorted((a, b) => order.indexOf(a.tag) - order.indexOf(b.tag))) {
			const body = JSON.stringify(example);
			if (body.includes("the id of a session")) continue;
			const headers = { "Content-Type": "application/json" };
			const answer = await fetch(platform.url + path, { method, headers, body });
			if (!answer.ok) refused.push(`${method} ${path}: ${answer.status} ${await answer.text()}`);
		}
		expect(bodies.length).to.be.at.least(20);
		expect(refused).to.deep.equal([]);
	});

	it("loads nothing from other origins and obeys its content security policy", () => {
		expect(elsewhere).to.deep.equal([]);
		expect(complaints).to.deep.equal([]);
	});

	it("has a language, a title and landmarks (the embedded viewer is not checked)", async () => {
		const axe = new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa"]).exclude("#api");
		expect((await axe.analyze()).violations.map(({ id }) => id)).to.deep.equal([]);
	});

	it("cannot be framed by a page of another origin", async () => {
		const { headers } = await fetch(`${platform.url}/docs`);
		expect(headers.get("content-security-policy")).to.contain("frame-ancestors 'none'");
		expect(headers.get("content-type")).to.equal("text/html; charset=utf-8");
	});
});
