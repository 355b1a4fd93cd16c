/** Says of the paths that a pull request touches what kind of change they are. Pure. */
import { maxPath, PathGlobs } from "./path-globs.ts";
import { sensitive } from "./factors.ts";

/** Returns globs for files of these names, wherever they are. */
function files(names: string): string[] {
	return names.split(" ").map((name) => `**/${name}`);
}

/** Returns globs for everything in folders of these names, wherever they are. */
function folders(names: string): string[] {
	return names.split(" ").map((name) => `**/${name}/**`);
}

/** Returns globs for files and folders of these names, wherever they are. */
function anywhere(names: string): string[] {
	return [...files(names), ...folders(names)];
}

/** The globs by category, unless the configuration has others. */
const defaultCategories: Readonly<Record<string, readonly string[]>> = {
	test: [...folders("test tests __tests__ spec"), ...files("*.test.* *.spec.* *_test.* test_*.py")],
	docs: [...files("*.md *.rst *.adoc"), "docs/**/*.txt", "docs/**/*.png", "docs/**/*.svg"],
	lint: files(".eslintrc* eslint.config.* biome.json .golangci.* .pylintrc .flake8"),
	style: files("*.css *.scss *.less .editorconfig .prettierrc* .clang-format"),
	ci: [
		...folders(".github .gitlab .gitea .forgejo .circleci .woodpecker .buildkite .ci"),
		...files(".gitlab-ci* .travis.yml .drone.yml azure-pipelines* bitbucket-pipelines* jenkinsfile*"),
	],
	security: anywhere("*security* *crypt* *secret* *credential* codeowners *.pem *.key .npmrc"),
	auth: anywhere(
		"auth auth.* auth-* auth_* *-auth *_auth *-auth.* *_auth.* *authent* *authori* *oauth* *login* *password* *permission*",
	),
	database: [...files("*.sql *.prisma"), ...anywhere("db *database*")],
	migration: anywhere("*migration* migrate"),
};

/** The globs of manifests and lock files, unless the configuration has others. */
const defaultDependencyFiles: readonly string[] = files(
	"package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock* deno.lock " +
		"go.mod go.sum cargo.toml cargo.lock requirements*.txt pyproject.toml poetry.lock uv.lock pipfile pipfile.lock " +
		"setup.py setup.cfg gemfile gemfile.lock *.gemspec composer.json composer.lock pom.xml build.gradle* " +
		"settings.gradle* gradle.lockfile libs.versions.toml *.csproj packages.lock.json packages.config " +
		"directory.packages.props mix.exs mix.lock pubspec.yaml pubspec.lock podfile podfile.lock package.swift " +
		"package.resolved flake.nix flake.lock .gitmodules",
);

/** The configuration; what it does not name has the defaults. */
interface PathRules {
	readonly categories: Readonly<Record<string, readonly string[]>>;
	readonly dependency_files: readonly string[];
}

export class PathCategories {
	readonly #categories: readonly (readonly [string, PathGlobs])[];
	readonly #dependencies: PathGlobs;

	constructor({ categories, dependency_files }: PathRules) {
		const all = Object.entries({ ...defaultCategories, ...categories });
		this.#categories = all.map(([category, globs]) => [category, new PathGlobs(globs)]);
		this.#dependencies = new PathGlobs(dependency_files.length > 0 ? dependency_files : defaultDependencyFiles);
	}

	/**
	 * Returns the categories of a path. A sensitive one hides the harmless ones; a path without any is `code`, and one
	 * that is too long to be matched counts as `security`.
	 */
	of(path: string): readonly string[] {
		if (path.length > maxPath) return ["security"];
		const found = this.#categories.filter(([, globs]) => globs.matches(path)).map(([category]) => category);
		const serious = found.filter((category) => sensitive.has(category));
		if (serious.length > 0) return found.includes("ci") ? [...serious, "ci"] : serious;
		return found.length > 0 ? found : ["code"];
	}

	isDependencyFile(path: string): boolean {
		return path.length > maxPath || this.#dependencies.matches(path);
	}
}
