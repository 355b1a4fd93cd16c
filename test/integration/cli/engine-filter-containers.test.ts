/** The containers that the filter lets a platform create, with an engine that records what reaches it. */
import { expect } from "chai";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { create, goodRequests, named, RecordedFilter } from "../../support/containers/recorded-filter.ts";

const { session, helper, probe } = named;

describe("engine-filter: containers", () => {
	const filter = new RecordedFilter();
	const { reached, root, folder, workspace, run, link, file } = filter;
	const { labels, mount, good, goodHelper, goodReader, goodProbe } = goodRequests(filter.workspace, filter.reading);
	const send = filter.send.bind(filter);

	before(() => filter.start());
	after(() => filter.close());
	beforeEach(() => {
		reached.length = 0;
	});

	const host = (change: object): object => ({ ...good, HostConfig: { ...good.HostConfig, ...change } });
	const from = (Source: string): object => host({ Mounts: [{ ...mount, Source }] });

	/** Requests that would make the session root on the machine, or let it out; each with the member that is named. */
	const bad: readonly (readonly [what: string, body: unknown, member: string])[] = [
		["a bind of the whole machine", host({ Binds: ["/:/h"] }), "HostConfig.Binds"],
		["a mount of the whole machine", from("/"), "HostConfig.Mounts[0].Source"],
		["a mount of the platform's secrets", from(root), "HostConfig.Mounts[0].Source"],
		["a mount below the folder of a session", from(join(workspace, "workspace")), "HostConfig.Mounts[0].Source"],
		["a mount of a file", from(file), "HostConfig.Mounts[0].Source"],
		[
			"a mount of another launch",
			from(join(root, "run", "3f0c2a11-0000-4000-8000-000000000001-g2", "in")),
			"HostConfig.Mounts[0].Source",
		],
		["a writable folder of the platform's sockets", from(join(run, "in")), "HostConfig.Mounts[0].ReadOnly"],
		["a mount that leaves the folder", from(`${workspace}/../../engine.sock`), "HostConfig.Mounts[0].Source"],
		["a mount through a link", from(link), "HostConfig.Mounts[0].Source"],
		["a mount below a link", from(join(link, "ssh")), "HostConfig.Mounts[0].Source"],
		["a mount of the folder itself", from(folder), "HostConfig.Mounts[0].Source"],
		[
			"a mount of what is not there",
			from(join(folder, "3f0c2a11-0000-4000-8000-000000000004")),
			"HostConfig.Mounts[0].Source",
		],
		["a volume", host({ Mounts: [{ ...mount, Type: "volume" }] }), "HostConfig.Mounts[0].Type"],
		[
			"a mount with an option",
			host({ Mounts: [{ ...mount, BindOptions: { Propagation: "shared" } }] }),
			"HostConfig.Mounts[0].BindOptions",
		],
		["privileges", host({ Privileged: true }), "HostConfig.Privileged"],
		["privileges in other letters", host({ privileged: true }), "HostConfig.privileged"],
		["the network of the machine", host({ NetworkMode: "host" }), "HostConfig.NetworkMode"],
		["the network of another container", host({ NetworkMode: "container:database" }), "HostConfig.NetworkMode"],
		["the processes of the machine", host({ PidMode: "host" }), "HostConfig.PidMode"],
		["the memory of the machine's processes", host({ IpcMode: "host" }), "HostConfig.IpcMode"],
		["the users of the machine", host({ UsernsMode: "host" }), "HostConfig.UsernsMode"],
		["a capability", host({ CapAdd: ["SYS_ADMIN"] }), "HostConfig.CapAdd"],
		["capabilities that are kept", host({ CapDrop: [] }), "HostConfig.CapDrop"],
		[
			"no confinement of system calls",
			host({ SecurityOpt: ["no-new-privileges", "seccomp=unconfined"] }),
			"HostConfig.SecurityOpt",
		],
		["a writable image", host({ ReadonlyRootfs: false }), "HostConfig.ReadonlyRootfs"],
		["a device", host({ Devices: [{ PathOnHost: "/dev/sda" }] }), "HostConfig.Devices"],
		["another runtime", host({ Runtime: "other" }), "HostConfig.Runtime"],
		["a control group of its own", host({ CgroupParent: "/" }), "HostConfig.CgroupParent"],
		["no bound of processes", host({ PidsLimit: -1 }), "HostConfig.PidsLimit"],
		["precedence over the platform", host({ CpuShares: 100_000 }), "HostConfig.CpuShares"],
		["too much memory", host({ Memory: 2 ** 40 }), "HostConfig.Memory"],
		["swap beside the memory", host({ MemorySwap: 2 ** 31 }), "HostConfig.MemorySwap"],
		[
			"logs without a bound",
			host({ LogConfig: { Type: "json-file", Config: {} } }),
			"HostConfig.LogConfig.Config.max-size",
		],
		["a temporary file system without a bound", host({ Tmpfs: { "/tmp": "exec" } }), "HostConfig.Tmpfs./tmp"],
		[
			"the label of another session",
			{ ...good, Labels: { ...labels, "atelier.session": "x" } },
			"Labels.atelier.session",
		],
		["a start with the machine", host({ RestartPolicy: { Name: "always" } }), "HostConfig.RestartPolicy"],
		["devices in a temporary file system", host({ Tmpfs: { "/tmp": "dev,size=1" } }), "HostConfig.Tmpfs./tmp"],
		["the user root", { ...good, User: "0:0" }, "User"],
		["the image's user", { ...good, User: undefined }, "User"],
		["another image", { ...good, Image: "debian:12" }, "Image"],
		[
			"another installation",
			{ ...good, Labels: { ...labels, "atelier.installation": "j" } },
			"Labels.atelier.installation",
		],
		["a foreign label", { ...good, Labels: { ...labels, "traefik.enable": "true" } }, "Labels.traefik.enable"],
		["a volume of the image", { ...good, Volumes: { "/h": {} } }, "Volumes"],
		["a network beside", { ...good, NetworkingConfig: { EndpointsConfig: {} } }, "NetworkingConfig"],
		["no bounds at all", { ...good, HostConfig: undefined }, "HostConfig"],
		["a list instead", [good], "the request"],
	];
	for (const [what, body, member] of bad) {
		it(`refuses ${what}`, async () => {
			const { status, message } = await send("POST", create(session), body);
			expect({ status, message }).to.deep.equal({
				status: 403,
				message: `The filter does not let this value of ${member} through`,
			});
			expect(reached).to.deep.equal([]);
		});
	}

	const text = JSON.stringify(good);
	const ambiguous: readonly (readonly [what: string, text: string, member: string])[] = [
		[
			"two equal members",
			text.replace(`"NetworkMode":`, `"NetworkMode":"host","NetworkMode":`),
			"HostConfig.NetworkMode",
		],
		[
			"two equal members with the bad one last",
			text.replace(`"ReadonlyRootfs":true`, `"ReadonlyRootfs":true,"ReadonlyRootfs"  :false`),
			"HostConfig.ReadonlyRootfs",
		],
		["two equal members far from each other", text.replace(/}$/, `,"HostConfig":{}}`), "HostConfig"],
		["two members that differ in case", text.replace(`"CapDrop":`, `"capdrop":[],"CapDrop":`), "HostConfig.capdrop"],
		["a name with an escape", text.replace(`"NetworkMode"`, `"\\u004eetworkMode"`), "HostConfig.\\u004eetworkMode"],
		[
			"a label twice",
			text.replace(`"atelier.session":`, `"atelier.session":"x","atelier.session":`),
			"Labels.atelier.session",
		],
		["depth without end", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, "the request"],
	];
	for (const [what, body, member] of ambiguous)
		it(`refuses ${what}`, async () => {
			const { status, message } = await send("POST", create(session), body);
			expect({ status, message }).to.deep.equal({
				status: 403,
				message: `The filter does not let this value of ${member} through`,
			});
			expect(reached).to.deep.equal([]);
		});

	it("refuses a folder behind a link above it, and a path that is not in its shortest form", async () => {
		const launch = named.session.replace(/^session-/, "").replace("-g1", "-g2");
		symlinkSync(run, join(root, "run", launch));
		const second = { ...good, Labels: { ...labels, "atelier.generation": "2" } };
		for (const Source of [join(root, "run", launch, "out"), `${folder}/../sessions/${basename(workspace)}`]) {
			const body = { ...second, HostConfig: { ...good.HostConfig, Mounts: [{ ...mount, Source }] } };
			const { message } = await send("POST", create(named.session.replace("-g1", "-g2")), body);
			expect(message).to.include("value of HostConfig.Mounts[0].Source ");
		}
		expect(reached).to.deep.equal([]);
	});

	it("lets through the two files that name the user, read-only, and no other file beside the agent", async () => {
		const delivered = join(root, "cache", "session-agent", "0123456789abcdef".repeat(2));
		mkdirSync(join(delivered, "etc"), { recursive: true });
		for (const name of ["passwd", "shadow"]) writeFileSync(join(delivered, "etc", name), "");
		symlinkSync("/etc/shadow", join(delivered, "etc", "group"));
		const at = (name: string, ReadOnly = true) =>
			host({ Mounts: [{ ...mount, Source: join(delivered, "etc", name), Target: `/etc/${name}`, ReadOnly }] });
		expect(await send("POST", create(session), at("passwd"))).to.include({ status: 201 });
		reached.length = 0;
		for (const [body, member] of [
			[at("passwd", false), "ReadOnly"],
			[at("shadow"), "Source"],
			[at("group"), "Source"],
		] as const) {
			const { status, message } = await send("POST", create(session), body);
			expect(status).to.equal(403);
			expect(message).to.include(`value of HostConfig.Mounts[0].${member} `);
		}
		expect(reached).to.deep.equal([]);
	});

	it("lets a text say what looks like members", async () => {
		const sent = { ...good, Env: [`A="x":{"x":1,"x":2}`, `B=\\":"`] };
		expect(await send("POST", create(session), sent)).to.include({ status: 201 });
		expect(JSON.parse(reached[0]?.body ?? "")).to.deep.equal(sent);
	});

	const badHelpers: readonly (readonly [what: string, change: object, member: string])[] = [
		["another command", { Cmd: ["sh", "-c", "id"] }, "Cmd"],
		["an owner of its own choice", { Cmd: ["chown", "-hR", "0:0", "/folder"] }, "Cmd"],
		["an entry point", { Entrypoint: ["sh"] }, "Entrypoint"],
		["two folders", { HostConfig: { ...goodHelper.HostConfig, Mounts: [mount, mount] } }, "HostConfig.Mounts"],
		["the command of another kind", { Cmd: ["find", "/folder", "-mindepth", "1", "-delete"] }, "Cmd"],
		[
			"the removal of all that is in the folder of a session",
			{
				Labels: { "atelier.installation": "i", "atelier.helper": "clear" },
				Cmd: ["find", "/folder", "-mindepth", "1", "-delete"],
			},
			"HostConfig.Mounts[0].Source",
		],
		["no kind", { Labels: { "atelier.installation": "i" } }, "Labels.atelier.helper"],
		[
			"an unknown kind",
			{ Labels: { "atelier.installation": "i", "atelier.helper": "shell" } },
			"Labels.atelier.helper",
		],
		["an image of somebody else", { Image: "other" }, "Image"],
		["variables", { Env: ["LD_PRELOAD=/folder/x.so"] }, "Env"],
		[
			"the session's folder in the place of programs",
			{ HostConfig: { ...goodHelper.HostConfig, Mounts: [{ ...mount, Target: "/usr/bin" }] } },
			"HostConfig.Mounts[0].Target",
		],
		["no folder", { HostConfig: { ...goodHelper.HostConfig, Mounts: [] } }, "HostConfig.Mounts"],
		["another capability", { HostConfig: { ...goodHelper.HostConfig, CapAdd: ["SYS_PTRACE"] } }, "HostConfig.CapAdd"],
	];
	for (const [what, change, member] of badHelpers) {
		it(`refuses a helper with ${what}`, async () => {
			const { status, message } = await send("POST", create(helper), { ...goodHelper, ...change });
			expect({ status, message }).to.deep.equal({
				status: 403,
				message: `The filter does not let this value of ${member} through`,
			});
			expect(reached).to.deep.equal([]);
		});
	}

	it("lets a reader of a backup have a session's folder and the platform's socket", async () => {
		expect(await send("POST", create(helper), goodReader)).to.include({ status: 201 });
		expect(JSON.parse(reached[0]?.body ?? "")).to.deep.equal(goodReader);
	});

	const [source, socket] = goodReader.HostConfig.Mounts;
	const reads = (change: object): object => ({ HostConfig: { ...goodReader.HostConfig, ...change } });
	for (const [what, change, member] of [
		["a program of the session", { Cmd: ["node", "/folder/x.ts"] }, "Cmd"],
		["a way into the program", { Cmd: ["node", "--require", "/folder/x.js", "agent/read-folder.ts"] }, "Cmd"],
		["options of the program", { Env: ["NODE_OPTIONS=--require=/folder/x.js"] }, "Env"],
		["a folder of its own choice as its own", { WorkingDir: "/folder" }, "WorkingDir"],
		["the right to open files by their number", reads({ CapAdd: ["DAC_READ_SEARCH"] }), "HostConfig.CapAdd"],
		[
			"the right to write in the folder",
			reads({ Mounts: [{ ...source, ReadOnly: false }, socket] }),
			"HostConfig.Mounts[0].ReadOnly",
		],
		[
			"the right to write beside the socket",
			reads({ Mounts: [source, { ...socket, ReadOnly: false }] }),
			"HostConfig.Mounts[1].ReadOnly",
		],
		[
			"a session's folder in the place of the program",
			reads({ Mounts: [{ ...source, Target: "/opt/atelier" }, socket] }),
			"HostConfig.Mounts[0].Target",
		],
		[
			"a session's folder in the place of the socket",
			reads({ Mounts: [source, { ...socket, Source: workspace }] }),
			"HostConfig.Mounts[1].Source",
		],
		["no socket", reads({ Mounts: [source] }), "HostConfig.Mounts"],
		[
			"the socket's folder as the session's",
			reads({ Mounts: [{ ...source, Source: filter.reading }, socket] }),
			"HostConfig.Mounts[0].Source",
		],
		["three folders", reads({ Mounts: [source, socket, socket] }), "HostConfig.Mounts"],
	] as const)
		it(`refuses a reader with ${what}`, async () => {
			const { status, message } = await send("POST", create(helper), { ...goodReader, ...change });
			expect({ status, message }).to.deep.equal({
				status: 403,
				message: `The filter does not let this value of ${member} through`,
			});
			expect(reached).to.deep.equal([]);
		});

	for (const [what, change, member] of [
		["another command", { Cmd: ["sh"] }, "Cmd"],
		["folders", { HostConfig: { ...goodProbe.HostConfig, Mounts: [mount] } }, "HostConfig.Mounts"],
		["the user root", { User: "0:0" }, "User"],
	] as const)
		it(`refuses a probe with ${what}`, async () => {
			const { status, message } = await send("POST", create(probe), { ...goodProbe, ...change });
			expect(status).to.equal(403);
			expect(message).to.include(`value of ${member} `);
			expect(reached).to.deep.equal([]);
		});

	it("refuses what is no JSON, and what is no UTF-8", async () => {
		expect(await send("POST", create(session), "{")).to.include({ status: 400 });
		const other = Buffer.from(JSON.stringify({ ...good, Env: ["\xff"] }), "latin1");
		expect(await send("POST", create(session), other)).to.include({ status: 400 });
		expect(reached).to.deep.equal([]);
	});
});
