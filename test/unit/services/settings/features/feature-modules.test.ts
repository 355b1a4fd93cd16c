import { expect } from "chai";
import { featureModules } from "#services/settings/features/feature-modules.ts";

/** Keys with their order, as behaviour.md 17.7 of the contract has them. */
const contract = {
	admin: "users 10, tenants 20, storage 30, resources 40, feature-management 50",
	session: "chat 10, terminal 20, code 30, files 40, diffs 50, chronicles 60, logs 70",
	user: "tokens 5, credentials 10, workspaces 20, integrations 30, tyr-connections 35, appearance 40, layout 50",
};

/** Labels and icons, as clients of the contract know them. */
const shown = {
	admin: "Users Users, Tenants Building2, Storage HardDrive, Resources Cpu, Features ToggleLeft",
	session:
		"Chat MessageSquare, Terminal Terminal, Code Code, Files FolderOpen, Diffs GitCompareArrows, Chronicles ScrollText, Logs FileText",
	user: "Access Tokens ShieldCheck, Credentials KeyRound, Workspaces HardDrive, Integrations Link2, Tyr Connections Compass, Appearance Palette, Layout LayoutDashboard",
};

describe("featureModules", () => {
	for (const [scope, modules] of Object.entries(shown)) {
		it(`have the labels and icons of the contract's clients in ${scope}`, () => {
			const ours = featureModules.filter((one) => one.scope === scope);
			expect(ours.map(({ label, icon }) => `${label} ${icon}`).join(", ")).to.equal(modules);
		});
	}

	for (const [scope, modules] of Object.entries(contract)) {
		it(`are those of the contract in ${scope}`, () => {
			const ours = featureModules.filter((one) => one.scope === scope);
			expect(ours.map(({ key, order }) => `${key} ${order}`).join(", ")).to.equal(modules);
		});
	}

	it("are on by default, and only those of administrators are meant for them alone", () => {
		expect(featureModules.filter(({ default_enabled }) => !default_enabled)).to.deep.equal([]);
		for (const { admin_only, scope } of featureModules) expect(admin_only).to.equal(scope === "admin");
	});
});
