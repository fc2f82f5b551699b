"""Whether the text of a report tells anything: ``benchmarks/report_clues.py [--draws N] [--level LEVEL]``.

Draws diagnoses with reports of which three of four are wrong, half of them in healthy networks, and no lab. Classifiers
learn from a part of the texts whether something is wrong, and whether the report is right, and guess the rest
(cross-validated). An area under the curve (AUC) of 0.5 is chance.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of


def main() -> None:
    """Print the areas."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--level", default="4", help="of the draws (default: 4)")
    arguments = parser.parse_args()
    chosen = DiagnoseParameters.model_validate({"level": arguments.level, "reports": "mixed", "healthy": 0.5})
    drawn = [diagnose_of(DiagnoseGenerator().draw(chosen, seed=7, index=index)) for index in range(arguments.draws)]
    texts = [str(one.report) for one in drawn]
    labels = {
        "something is wrong": [bool(one.faults) for one in drawn],
        "the report is right": [one.report_truth == "right" for one in drawn],
    }
    for name, truth in labels.items():
        for model in (LogisticRegression(C=0.1, max_iter=500), BernoulliNB()):
            words = CountVectorizer(ngram_range=(1, 2), binary=True, min_df=3)
            chances = cross_val_predict(make_pipeline(words, model), texts, truth, cv=5, method="predict_proba")
            print(f"{name}: {type(model).__name__} {roc_auc_score(truth, chances[:, 1]):.3f}", flush=True)


if __name__ == "__main__":
    main()
