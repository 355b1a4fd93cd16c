import { expect } from "chai";
import { actingAs, type Actor } from "#shared/base/actor.ts";
import { jsonLine, redacted } from "#host/log/json-log.ts";
import { alice } from "../../../support/bus/test-brokers.ts";

interface Line {
	readonly [member: string]: unknown;
}

function line(...values: unknown[]): Line {
	const text = jsonLine("warn", "SESSIONS", values);
	expect(text).to.not.include("\n");
	return JSON.parse(text) as Line;
}

describe("jsonLine()", () => {
	it("is one line with time, level, service and message", () => {
		const { time, ...rest } = line("Events wait\nin the store:", { count: 3 });
		expect(time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
		expect(rest).to.deep.equal({
			level: "warn",
			service: "sessions",
			message: "Events wait\nin the store: { count: 3 }",
		});
	});

	it("has the request that the present work belongs to, or that the message names", () => {
		const actor: Actor = { principal: alice, action: "x", isRead: true, request_id: "r-1" };
		expect(actingAs(actor, () => line("It fails"))).to.include({ request_id: "r-1" });
		expect(line("Request r-2 failed")).to.include({ request_id: "r-2" });
		expect(line("It fails")).to.not.have.property("request_id");
	});

	it("has the session that the message names", () => {
		expect(line('A pass over session "abc-1" failed: no')).to.include({ session_id: "abc-1" });
	});

	it("has the error with its stack, and bounds all of them", () => {
		const { message, error } = line("It fails", new Error(`no token=canary ${"x".repeat(50_000)}`));
		expect(message).to.equal("It fails");
		expect(error).to.have.property("name", "Error");
		expect(JSON.stringify(error)).to.not.include("canary");
		expect(JSON.stringify(error).length).to.be.below(20_000);
	});
});

describe("redacted()", () => {
	for (const [secret, text] of [
		["c4nary.abc", "authorization: Bearer c4nary.abc"],
		["Y2FuYXJ5OmFi", "Basic Y2FuYXJ5OmFi"],
		["eyJhbGciOiJIUzI1NiJ9", "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln was refused"],
		["canary", "http://127.0.0.1:8080/?token=canary"],
		["canary", "nats://user:canary@127.0.0.1:4222 does not answer"],
		["canary", '{"client_secret": "canary"}'],
		["canary", "{ password: 'canary' }"],
		["canary", "GITLAB_TOKEN=canary"],
		["ghp_0123456789abcdefghij", "git push with ghp_0123456789abcdefghij"],
		[`atelier_${"k".repeat(43)}`, `the key atelier_${"k".repeat(43)}`],
	] as const) {
		it(`masks the secret in ${JSON.stringify(text)}`, () => {
			expect(redacted(text)).to.include("***");
			expect(redacted(text)).to.not.include(secret);
		});
	}

	it("leaves other texts as they are", () => {
		const text = 'The model "gpt" used 3 tokens; see http://127.0.0.1:8080/health of session "a"';
		expect(redacted(text)).to.equal(text);
	});
});
