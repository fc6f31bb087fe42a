/* package.c - where source is found, what stands in for what is not there, and a model beside its config.json from beginning to end.
 * SHA-256: the examples of FIPS 180-4 (NIST, "SHA-256 Test Data"). Parameters and FLOPs are counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "learn/derive/count.h"
#include "learn/derive/derive.h"
#include "base/sha256.h"
#include "learn/torch/run.h"

static void hashes_are_those_of_the_standard(void **state)
{
    char out[65], many[1001] = {0};
    (void)state;
    ridge_sha256(out, RIDGE_STR("abc"));
    assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ridge_sha256(out, RIDGE_STR(""));
    assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ridge_sha256(out, RIDGE_STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
    assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(many, 'A', 1000);
    ridge_sha256(out, (ridge_str){many, 1000});
    assert_string_equal(out, "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4");
}

/* ---- a folder with a model ---- */

static char folder[] = "/tmp/ridge-package-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    put("config.json", "{\"_class_name\": \"Small\", \"width\": 6, \"layers\": 2}");
    put("modeling_small.py", "import torch\n"
                             "from torch import nn\n"
                             "import a_library_that_nobody_has as other\n"
                             "from .parts import Half\n"
                             "try:\n"
                             "    import flash_attn\n"
                             "except ImportError:\n"
                             "    flash_attn = None\n"
                             "class Small(nn.Module):\n"
                             "    @other.decorated\n"
                             "    def __init__(self, width, layers):\n"
                             "        super().__init__()\n"
                             "        self.layers = nn.ModuleList(Half(width) for _ in range(layers))\n"
                             "        assert flash_attn is None\n"
                             "    def forward(self, input_ids):\n"
                             "        x = torch.zeros(input_ids.shape[0], input_ids.shape[1], 6)\n"
                             "        for layer in self.layers:\n"
                             "            x = layer(x)\n"
                             "        return x\n");
    put("parts.py", "from torch import nn\n"
                    "class Half(nn.Module):\n"
                    "    def __init__(self, width):\n"
                    "        super().__init__()\n"
                    "        self.down = nn.Linear(width, width // 2)\n"
                    "        self.up = nn.Linear(width // 2, width, bias=False)\n"
                    "    def forward(self, x):\n"
                    "        return x + self.up(self.down(x))\n");
    put("modeling_texts.py", "import torch\n"
                             "from torch import nn\n"
                             "class Padded(nn.Module):\n"
                             "    def __init__(self):\n"
                             "        super().__init__()\n"
                             "        self.table = nn.Embedding(50, 4)\n"
                             "    def forward(self, input_ids):\n"
                             "        x = self.table(input_ids)\n"
                             "        return x + 1 if input_ids.eq(0).any() else x\n"
                             "class Pairs(nn.Module):\n"
                             "    def forward(self, input_ids_query, attention_mask_query, input_ids_doc, attention_mask_doc):\n"
                             "        return torch.cat([input_ids_query, input_ids_doc], 1) * attention_mask_doc.sum()\n"
                             "class Sizes:\n"
                             "    image_size = 8\n"
                             "class Picture(nn.Module):\n"
                             "    config = Sizes()\n"
                             "    def forward(self, pixel_values, prompt_pixel_values, prompt_masks):\n"
                             "        return torch.cat([prompt_pixel_values, pixel_values], 2)\n"
                             "class PartConfig:\n"
                             "    model_type = 'part'\n"
                             "    def __init__(self, width=6, **more):\n"
                             "        self.width = width\n"
                             "class WholeConfig:\n"
                             "    model_type = 'whole'\n"
                             "    sub_configs = {'part_config': PartConfig}\n"
                             "class PartModel(nn.Module):\n"
                             "    config_class = WholeConfig\n"
                             "    def __init__(self, config):\n"
                             "        super().__init__()\n"
                             "        self.matrix = nn.Linear(config.width, 2, bias=False)\n"
                             "    def forward(self, input_ids):\n"
                             "        return input_ids\n");
    put("part.json", "{\"model_type\": \"part\", \"architectures\": [\"PartModel\"], \"width\": 5}");
    put("modeling_lost.py", "import os\nclass Lost:\n    pass\nfrom ..secret import key\n");
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"config.json",       "modeling_small.py", "parts.py",
                                        "modeling_texts.py", "part.json",         "modeling_lost.py"};
    char path[300];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* 2 layers of 6*3 + 3 + 3*6 = 39 parameters; 2 * 2 * B*S * (6*3 + 3*6) FLOPs */
static void a_model_beside_its_config_is_learned(void **state)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_derivation d;
    ridge_derive_run run;
    ridge_counted count;
    ridge_derive_workload work = RIDGE_DERIVE_WORKLOAD;
    const ridge_derive_request request = {.what = folder};
    (void)state;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_derive_open(&d, &request, &arena, &err), RIDGE_OK);
    work.batch = 2;
    work.seq = 5;
    assert_int_equal(ridge_derive_run_once(&run, &d, &work), RIDGE_OK);
    assert_null(run.failed);
    assert_int_equal(ridge_count_tree(&count, d.root, &d.in), RIDGE_OK);
    assert_int_equal(ridge_count_run(&count, run.root, &d.in), RIDGE_OK);
    assert_int_equal(count.count, 8);
    assert_string_equal(count.modules[3].path, "layers.0.down");
    assert_int_equal(count.parameters, 78);
    assert_int_equal(ridge_count_torch(&count.total), 2 * 2 * 10 * 36);
    ridge_package_place place;
    assert_true(ridge_package_place_of(&place, d.class, &d.package));
    assert_string_equal(place.shown, "modeling_small.py");
    assert_int_equal(place.first, 9);
    ridge_arena_free(&arena);
}

typedef struct learned {
    ridge_arena arena;
    ridge_err err;
    ridge_derivation d;
    ridge_derive_run run;
} learned;

static void learn(learned *l, const char *what, const char *class)
{
    const ridge_derive_workload work = RIDGE_DERIVE_WORKLOAD;
    const ridge_derive_request request = {.what = what, .class = class, .source = folder};
    *l = (learned){0};
    ridge_arena_init(&l->arena);
    if (ridge_derive_open(&l->d, &request, &l->arena, &l->err) != RIDGE_OK)
        fail_msg("%s", l->err.msg);
    assert_int_equal(ridge_derive_run_once(&l->run, &l->d, &work), RIDGE_OK);
    assert_null(l->run.failed);
}

/* Whether a text has padding is nowhere said: it is read again with words, and that stands among what is assumed. */
static void a_text_that_decides_is_one_of_words(void **state)
{
    learned l;
    (void)state;
    learn(&l, "Padded", NULL);
    assert_int_equal(l.d.in.hole_count, 0);
    assert_int_equal(ridge_run_of(&l.d.in)->assumed_count, 1);
    assert_non_null(strstr(ridge_run_of(&l.d.in)->assumed[0].what, "no padding"));
    ridge_arena_free(&l.arena);
}

static void inputs_of_a_task_are_made(void **state)
{
    learned l;
    (void)state;
    learn(&l, "Pairs", NULL);
    assert_int_equal(ridge_run_of(&l.d.in)->assumed_count, 0);
    assert_int_equal(l.run.result.u.tensor->dims[1].u.i, 2 * l.run.workload.seq);
    ridge_arena_free(&l.arena);
    learn(&l, "Picture", NULL); /* one half above the other */
    assert_int_equal(l.run.result.u.tensor->dims[2].u.i, l.run.workload.image_height);
    ridge_arena_free(&l.arena);
}

/* annotated with the config of the whole, made of that of its part */
static void a_part_has_its_own_config(void **state)
{
    char path[300];
    learned l;
    ridge_counted count;
    (void)state;
    snprintf(path, sizeof path, "%s/part.json", folder);
    learn(&l, path, NULL);
    assert_int_equal(ridge_count_tree(&count, l.d.root, &l.d.in), RIDGE_OK);
    assert_int_equal(count.parameters, 10);
    ridge_arena_free(&l.arena);
}

/* a folder that holds a package as a link to where it is */
static void linked_packages_are_read(void **state)
{
    char path[400], package[300], other[] = "/tmp/ridge-linked-XXXXXX";
    learned l;
    (void)state;
    snprintf(package, sizeof package, "%s/linked", folder);
    assert_int_equal(mkdir(package, 0700), 0);
    put("linked/__init__.py", "");
    put("linked/net.py", "from torch import nn\n"
                         "class Linked(nn.Module):\n"
                         "    def forward(self, input_ids):\n"
                         "        return input_ids\n");
    assert_non_null(mkdtemp(other));
    snprintf(path, sizeof path, "%s/linked", other);
    assert_int_equal(symlink(package, path), 0);
    const ridge_derive_request request = {.what = "linked.net.Linked", .source = other};
    l = (learned){0};
    ridge_arena_init(&l.arena);
    assert_int_equal(ridge_derive_open(&l.d, &request, &l.arena, &l.err), RIDGE_OK);
    ridge_arena_free(&l.arena);
    unlink(path);
    rmdir(other);
    snprintf(path, sizeof path, "%s/net.py", package);
    unlink(path);
    snprintf(path, sizeof path, "%s/__init__.py", package);
    unlink(path);
    assert_int_equal(rmdir(package), 0);
}

static void what_is_not_there_is_said(void **state)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_derivation d;
    ridge_derive_request request = {.what = folder, .class = "Nobody"};
    (void)state;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_derive_open(&d, &request, &arena, &err), RIDGE_UNKNOWN);
    assert_non_null(strstr(err.msg, "no source defines class Nobody"));
    ridge_err_clear(&err);
    request.class = "Lost"; /* its import leads out of the folder */
    assert_int_equal(ridge_derive_open(&d, &request, &arena, &err), RIDGE_VALUE);
    assert_non_null(strstr(err.msg, "secret"));
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_standard),    cmocka_unit_test(a_model_beside_its_config_is_learned),
        cmocka_unit_test(a_text_that_decides_is_one_of_words), cmocka_unit_test(inputs_of_a_task_are_made),
        cmocka_unit_test(a_part_has_its_own_config),           cmocka_unit_test(linked_packages_are_read),
        cmocka_unit_test(what_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
