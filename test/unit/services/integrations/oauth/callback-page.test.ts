import { createHash } from "node:crypto";
import { expect } from "chai";
import { confirmationPage, connectedPage, refusedPage } from "#services/integrations/oauth/callback-page.ts";

const evil = `"><script>alert('x')</script>&`;

describe("pages after a login", () => {
	it("close themselves by the only script that their policy allows", () => {
		const { html, policy } = connectedPage("GitHub");
		const [, script = ""] = /<script>([^<]*)<\/script>/.exec(html) ?? [];
		expect(script).to.equal("setTimeout(() => close(), 2000);");
		const digest = createHash("sha256").update(script).digest("base64");
		expect(policy).to.contain(`script-src 'sha256-${digest}'`).and.contain("frame-ancestors 'none'");
		expect(policy).to.contain("default-src 'none'").and.not.contain("unsafe-inline");
	});

	it("show no text as markup", () => {
		const pages = [
			connectedPage(evil),
			refusedPage(evil, evil),
			confirmationPage({ name: evil, owner: evil, tenant: evil, query: evil }),
		];
		for (const { html } of pages)
			expect(html.replace(/<script>setTimeout[^<]*<\/script>/, "")).not.to.match(/<script|"><|'x'/);
	});

	it("repeat no long error", () => {
		expect(refusedPage("GitHub", "x".repeat(10_000)).html).to.have.length.below(2_000);
	});

	it("ask with the person's name, and confirm by an address of the same page", () => {
		const { html } = confirmationPage({ name: "GitHub", owner: "ada", tenant: "acme", query: "state=s&code=c" });
		expect(html).to.contain("<strong>ada</strong> (tenant acme)").and.contain('href="?state=s&amp;code=c"');
		expect(html).not.to.contain("<script");
	});
});
