/** The containers that the filter lets wait for a session, with an engine that records what reaches it. */
import { expect } from "chai";
import { join } from "node:path";
import { create, goodRequests, named, RecordedFilter } from "../../support/containers/recorded-filter.ts";

const { session, warm } = named;

describe("engine-filter: warm containers", () => {
	const filter = new RecordedFilter();
	const { reached, workspace, run } = filter;
	const { labels, mount, good } = goodRequests(filter.workspace, filter.reading);
	const send = filter.send.bind(filter);

	before(() => filter.start());
	after(() => filter.close());
	beforeEach(() => {
		reached.length = 0;
	});

	const from = (Source: string): object => ({
		...good,
		HostConfig: { ...good.HostConfig, Mounts: [{ ...mount, Source }] },
	});
	const waiting = (Source: string, change: object = {}): object => ({
		...from(Source),
		Labels: { "atelier.installation": "i", "atelier.warm": "0123456789abcdef" },
		...change,
	});

	it("lets a container wait with its own folders", async () => {
		for (const Source of [filter.warm.files, join(filter.warm.run, "out")])
			expect(await send("POST", create(warm), waiting(Source))).to.include({ status: 201 });
	});

	const own = filter.warm.files;
	for (const [what, body, member] of [
		["the files of a session", waiting(workspace), "HostConfig.Mounts[0].Source"],
		["the sockets of a session", waiting(join(run, "out")), "HostConfig.Mounts[0].Source"],
		[
			"a writable folder of the platform's sockets",
			waiting(join(filter.warm.run, "in")),
			"HostConfig.Mounts[0].ReadOnly",
		],
		["the label of a session", waiting(own, { Labels: labels }), "Labels.atelier.warm"],
		["an image of templates", waiting(own, { Image: "other" }), "Image"],
		["the user root", waiting(own, { User: "0:0" }), "User"],
	] as const)
		it(`refuses a container that waits with ${what}`, async () => {
			const { status, message } = await send("POST", create(warm), body);
			expect(status).to.equal(403);
			expect(message).to.include(`value of ${member} `);
			expect(reached).to.deep.equal([]);
		});

	it("refuses a container that waits with the folders of another one, and a session with those of one that waits", async () => {
		const Labels = { "atelier.installation": "i", "atelier.warm": "fedcba9876543210" };
		const other = await send("POST", create("atelier-warm-fedcba9876543210"), waiting(own, { Labels }));
		expect(other).to.include({ status: 403 });
		expect(await send("POST", create(session), from(own))).to.include({ status: 403 });
		expect(reached).to.deep.equal([]);
	});
});
