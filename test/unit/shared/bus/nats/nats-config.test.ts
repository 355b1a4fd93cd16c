import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { labelOf, natsConfig, passwordVariable, readProcessKind } from "#shared/bus/nats/nats-config.ts";
import { chosenFolders, serviceFolders } from "#host/service-folders.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const inFiles = { "three-processes.conf": 3, "process-per-service.conf": serviceFolders.length - 1 };

describe("natsConfig", () => {
	for (const [file, count] of Object.entries(inFiles)) {
		it(`writes config/nats/${file} as it is, from the command that stands in it`, () => {
			const text = readFileSync(join(projectRoot, "config/nats", file), "utf8");
			const [, words = ""] = /npm run --silent nats -- config (.*)$/m.exec(text) ?? [];
			const kinds = words.split(" ").map(readProcessKind);
			expect(kinds).to.have.length(count);
			expect(kinds.flatMap(({ folders }) => folders)).to.have.members([...serviceFolders]);
			expect(natsConfig(kinds)).to.equal(text);
		});
	}

	it("lets a process send requests to whom it calls, answers to its callers, events to whom it tells, and no more", () => {
		const [web, rest, pods] = ["stream+gateway", "sessions+event-log", "pod-manager"].map(readProcessKind);
		if (!web || !rest || !pods) throw new Error("Three kinds");
		const users = natsConfig([web, rest, pods]).split("user: ").slice(1);
		const sentBy = users.map((block) =>
			[...block.matchAll(/"MOL-atelier\.((?:REQ|RES|EVENT)[^"]*)"/g)].map(([, to]) => to),
		);
		expect(sentBy).to.deep.equal([
			["REQ.event-log-sessions.>", "REQ.pod-manager.>"],
			[
				"RES.stream-gateway.>",
				"EVENT.stream-gateway.>",
				"EVENT.event-log-sessions.>",
				"REQ.pod-manager.>",
				"RES.pod-manager.>",
				"EVENT.pod-manager.>",
			],
			["RES.stream-gateway.>", "REQ.event-log-sessions.>", "RES.event-log-sessions.>"],
		]);
	});

	it("names a process as the bus does, whatever the order of its services", () => {
		expect(labelOf(chosenFolders([]))).to.equal("platform");
		expect(readProcessKind("gateway+stream")).to.deep.equal({ name: "stream-gateway", folders: ["stream", "gateway"] });
		const named = readProcessKind("web=gateway+stream");
		expect([named.name, passwordVariable({ ...named, name: "web-1" })]).to.deep.equal([
			"web",
			"ATELIER_NATS_WEB_1_PASSWORD",
		]);
	});

	it("refuses services that do not exist, and two kinds of one name", () => {
		expect(() => readProcessKind("gatway")).to.throw(RangeError, 'There is no service "gatway"');
		const twice = ["a=gateway", "a=stream"].map(readProcessKind);
		expect(() => natsConfig(twice)).to.throw(RangeError, 'named "a"');
	});
});
