import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { statusReports } from "../../../agent/status-reports.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../support/eventually.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../support/machine/loopback-server.ts";

describe("status reports at a door", () => {
	it("leave out steps that follow at once, and never wait with what the platform waits for", async () => {
		const taken: string[] = [];
		const server = createServer((request, response) => {
			void text(request).then((content) => {
				taken.push(content);
				response.writeHead(204).end();
			});
		});
		await listenOnLoopback(server);
		const reports = statusReports({ door_url: loopbackUrl(server), pod_token: "t" } as LaunchDocument);
		try {
			reports.write("starting", false);
			await eventually(() => taken.length === 1);
			for (const step of ["cloning", "setting_up", "starting_agent"]) reports.write(step, false);
			reports.write("ready", true);
			await eventually(() => taken.includes("ready"), { withinMs: 200, what: "the last status is delivered at once" });
			expect(taken).to.deep.equal(["starting", "ready"]);
			reports.write("later", false);
			await eventually(() => taken.length === 3, { what: "the later one is delivered too" });
		} finally {
			await reports.close();
			await closeAtOnce(server);
		}
		expect(taken.at(-1)).to.equal("later");
	});

	it("try again at once with what the platform waits for, however often they were refused before", async () => {
		const tokens = new Set<string | undefined>();
		let [asked, isOpen] = [0, false];
		const taken: string[] = [];
		const server = createServer((request, response) => {
			tokens.add(request.headers.authorization);
			asked++;
			const isTaken = isOpen;
			void text(request).then((content) => {
				if (isTaken) taken.push(content);
				response.writeHead(isTaken ? 204 : 503).end();
			});
		});
		await listenOnLoopback(server);
		const reports = statusReports({ door_url: loopbackUrl(server), pod_token: "t" } as LaunchDocument);
		try {
			reports.write("starting", false);
			// The pause that follows has 1.6 seconds at least.
			await eventually(() => asked === 6, { withinMs: 30_000, what: "it was refused six times" });
			isOpen = true;
			reports.write("failed", true);
			await eventually(() => taken.length > 0, { withinMs: 1_200, what: "the failure is told at once" });
		} finally {
			await reports.close();
			await closeAtOnce(server);
		}
		expect(taken).to.deep.equal(["failed"]);
		expect([...tokens]).to.deep.equal(["Bearer t"]);
	});
});
